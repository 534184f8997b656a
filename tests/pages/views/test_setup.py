"""Setting a study up in the browser: settings, previews, practice, invites."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation import studies, surveys
from annotation.crowd.forms.pages import ConsentForm
from annotation.models import Event, Practice, Seat, Study, Worker
from annotation.page_kinds.questions import field_name
from annotation.studies.settings import ON_THE_PAGE
from tests.annotation.seating import lay_out
from tests.support.scored import rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/settings/"


@pytest.fixture
def draft(make_study):
    return make_study()


@pytest.fixture
def study(draft):
    lay_out(draft)
    return draft


def data_of(client, url=URL, **changes) -> dict:
    """What the settings page's form would send, with these changes."""
    context = client.get(url).context
    forms = [context["form"], *context["aspects"].forms]
    forms.append(context["aspects"].management_form)
    fields = [field for form in forms for field in form]
    found = {field.html_name: field.value() for field in fields}
    return {**{k: "" if v is None else v for k, v in found.items()}, **changes}


def save(client, **changes):
    return client.post(URL, data_of(client, **changes))


class TestARandomPart:
    def test_the_share_is_saved_and_said_on_the_checklist(self, client, draft):
        given = {"rated_share": 50, "share_of": "simple"}
        assert save(client, **given).status_code == 302
        draft.refresh_from_db()
        assert (draft.rated_share, draft.share_of) == (50, "simple")
        page = client.get("/studies/ferry/setup/").content.decode()
        assert "4 of 8 texts of 4 systems, drawn at random" in page

    def test_other_pages_than_ratings_are_refused_in_words(self, client, draft):
        Study.objects.update(page_kinds=["pair"])
        found = save(client, rated_share=50)
        assert found.status_code == 400
        assert "Only pages of ratings can ask for a random part" in (
            found.content.decode()
        )
        draft.refresh_from_db()
        assert draft.rated_share == 100

    def test_it_stays_as_it_is_once_the_study_is_open(self, client, study):
        surveys.open_study(study=study)
        save(client, rated_share=50)
        study.refresh_from_db()
        assert study.rated_share == 100

    def test_the_api_takes_it(self, client):
        given = {"name": "two", "rated_share": 20, "share_of": "system"}
        url = "/api/studies/"
        found = client.post(url, given, content_type="application/json")
        assert found.status_code == 201, found.content
        assert found.json()["rated_share"] == 20
        given |= {"name": "three", "page_kinds": ["pair"]}
        found = client.post(url, given, content_type="application/json")
        assert found.status_code == 400
        assert "Only pages of ratings can ask" in found.content.decode()


class TestDraft:
    def test_every_setting_stands_on_the_page_once(self, client, draft):
        page = client.get(URL).content.decode()
        wrong = {
            one.name: page.count(f' name="{one.name}"')
            for one in ON_THE_PAGE
            if page.count(f' name="{one.name}"') != 1
        }
        assert not wrong

    def test_workers_are_sent_home_only_to_their_own_platform(self, client, draft):
        elsewhere = {"platform": "sona", "completion_url": "https://evil.org/x"}
        found = save(client, **elsewhere)
        assert found.status_code == 400
        assert "Paste the Completion URL" in found.content.decode()
        found = save(client, **{**elsewhere, "platform": "prolific"})
        assert "Prolific needs no such address" in found.content.decode()
        credit = "https://uni.sona-systems.com/webstudy_credit.aspx"
        credit += "?experiment_id=1&credit_token=2&survey_code=XXXX"
        save(client, platform="sona", completion_url=credit)
        draft.refresh_from_db()
        assert (draft.platform, draft.completion_url) == ("sona", credit)

    def test_mechanical_turk_comes_last_and_says_that_it_is_closed(self, client, draft):
        page = client.get(f"/studies/{draft.name}/settings/").content.decode()
        assert "closed to new customers since 30 July 2026" in page
        assert page.index("Prolific</option>") < page.index("Mechanical Turk (closed")

    def test_every_field_is_saved(self, client, draft):
        given = {
            "scale_max": 7,
            "spare_seats": 2,
            "max_pages": 9,
            "pay_per_page": "0.45",
            "currency": "eur",
            "screen_out_code": "SORRY",
            "retention_days": 30,
            "debrief": "Bye",
        }
        assert save(client, **given).status_code == 302
        draft.refresh_from_db()
        assert (draft.scale_max, draft.spare_seats, draft.max_pages) == (7, 2, 9)
        assert (str(draft.pay_per_page), draft.currency) == ("0.45", "EUR")
        assert (draft.screen_out_code, draft.retention_days) == ("SORRY", 30)
        assert draft.debrief == "Bye"

    @pytest.mark.parametrize(
        "wrong, said",
        [
            ({"scale_min": 5}, "must go up"),
            ({"currency": "E1"}, "three letters"),
            ({"platform": "prolific", "invited_only": "on"}, "Invite links need"),
        ],
    )
    def test_what_cannot_be_is_explained(self, client, draft, wrong, said):
        answer = save(client, **wrong)
        assert answer.status_code == 400
        assert said in answer.content.decode()

    def test_ratings_from_a_file_hold_the_scale_and_their_aspect(self, client, draft):
        rate(draft, "coherence", [[4, 5]])
        assert "the scale stays" in save(client, scale_max=7).content.decode()
        page = save(client, **{"aspects-0-DELETE": "on"}).content.decode()
        assert "Coherence has ratings from a file, so it stays." in page
        assert draft.aspects.count() == 3


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"a": "b"},
        {"aspects-TOTAL_FORMS": "9", "aspects-INITIAL_FORMS": "9"},
        {"aspects-TOTAL_FORMS": "x", "texts-TOTAL_FORMS": "99999"},
        {"names": "a\x00b", "preview": "consent"},
    ],
)
@pytest.mark.parametrize(
    "url",
    ["settings/", "settings/preview/", "practice/", "practice/remove/"]
    + ["invites/make/", "invites/download/"],
)
def test_a_form_that_no_page_sent_changes_nothing(client, draft, url, given):
    assert client.post(f"/studies/ferry/{url}", given).status_code < 500
    assert draft.aspects.count() == 3
    assert not Practice.objects.exists() and not draft.invites.exists()


def test_another_language_brings_its_own_standard_words(client, alice):
    study = studies.create(name="lake", owner=alice)
    url = "/studies/lake/settings/"
    given = data_of(client, url, language="de", debrief="Bye", title="Ships")
    assert client.post(url, given).status_code == 302
    study.refresh_from_db()
    assert (study.language, study.debrief, study.title) == ("de", "Bye", "Ships")
    assert study.instructions.startswith("Jede Seite zeigt")
    assert study.consent.startswith("Sie lesen kurze Texte")
    asked = study.aspects.values_list("question", flat=True)
    assert "Passen die Sätze zu einem Text zusammen?" in asked
    back = data_of(client, url, language="en")
    client.post(url, back)
    study.refresh_from_db()
    assert study.consent.startswith("You will read short texts")


def test_a_study_says_which_texts_are_code_until_it_opens(client, draft):
    url = "/studies/ferry/settings/"
    client.post(url, data_of(client, url, monospaced="always"))
    draft.refresh_from_db()
    assert draft.monospaced == "always"
    surveys.open_study(study=draft)
    client.post(url, {**data_of(client, url), "monospaced": "never"})
    draft.refresh_from_db()
    assert draft.monospaced == "always"


class TestAspects:
    def keys(self, study) -> list[str]:
        return [aspect.key for aspect in study.aspects.all()]

    def test_positions_put_them_in_another_order(self, client, draft):
        order = {"aspects-0-ORDER": 3, "aspects-2-ORDER": 0}
        assert save(client, **order).status_code == 302
        assert self.keys(draft) == ["relevance", "consistency", "coherence"]

    def test_the_empty_form_adds_one_with_a_key_of_its_own(self, client, draft):
        words = ("title", "question", "low", "high")
        given = {f"aspects-3-{name}": "Coherence" for name in words}
        assert save(client, **given).status_code == 302
        assert self.keys(draft)[-1] == "coherence-2"

    def test_one_is_removed_but_not_the_last(self, client, draft):
        save(client, **{"aspects-1-DELETE": "on"})
        assert self.keys(draft) == ["coherence", "relevance"]
        gone = {"aspects-0-DELETE": "on", "aspects-1-DELETE": "on"}
        page = save(client, **gone).content.decode()
        assert "needs at least one question" in page
        assert len(self.keys(draft)) == 2

    def test_one_that_quality_control_rests_on_stays(self, client, draft):
        draft.policies.update(on="chosen", chosen=["coherence"])
        page = save(client, **{"aspects-0-DELETE": "on"}).content.decode()
        assert "Quality control compares on Coherence" in page


class TestAfterOpening:
    def test_an_open_study_changes_words_and_codes_and_nothing_else(
        self, client, study
    ):
        given = {"debrief": "Bye", "title": "New", "ratings_per_text": 9}
        assert save(client, **given).status_code == 302
        study.refresh_from_db()
        assert (study.debrief, study.title, study.ratings_per_text) == ("Bye", "", 2)
        assert study.aspects.count() == 3

    def test_a_paused_study_changes_how_much_is_collected(self, client, study):
        Study.objects.update(state="paused")
        save(client, ratings_per_text=3, scale_max=9)
        study.refresh_from_db()
        assert (study.ratings_per_text, study.scale_max) == (3, 5)
        client.post("/studies/ferry/open/")
        assert study.places.filter(free=True).count() == 2 * 3

    def test_a_closed_study_keeps_its_consent(self, client, study):
        Study.objects.update(state="closed")
        save(client, consent="Other", contact="lab@example.org")
        study.refresh_from_db()
        assert (study.consent, study.contact) == ("", "lab@example.org")

    def test_who_is_at_a_page_agrees_to_new_words_before_the_next_one(self, study):
        worker = Client()
        worker.get(study.get_worker_url())
        agreed = {"agree": "on", "version": ConsentForm(study).digest}
        worker.post(reverse("worker:start", args=[study.public_id]), agreed)
        seat = Seat.objects.get()
        Study.objects.update(consent="New words")
        given = {
            field_name(position, aspect.key): "3"
            for position in range(1, len(seat.order) + 1)
            for aspect in study.aspects.all()
        }
        submit = reverse("worker:submit", args=[seat.public_id])
        answer = worker.post(submit, {**given, "then": "next"}, follow=True)
        assert "New words" in answer.content.decode()
        assert Seat.objects.count() == 1

    def test_the_change_is_logged(self, client, study, alice):
        save(client, debrief="Bye")
        event = Event.objects.get()
        assert (event.verb, event.user, event.detail) == (
            "changed-settings",
            alice,
            "debrief",
        )

    def test_a_study_paused_meanwhile_keeps_what_it_had(
        self, client, study, monkeypatch
    ):
        from annotation.views.forms.setup import SettingsForm

        def closed_meanwhile(form):
            Study.objects.update(state="closed")
            form.cleaned_data = {}
            return True

        given = data_of(client, debrief="Bye")
        monkeypatch.setattr(SettingsForm, "is_valid", closed_meanwhile)
        page = client.post(URL, given, follow=True).content.decode()
        study.refresh_from_db()
        assert "Not saved" in page
        assert study.debrief == ""


class TestPreview:
    url = f"{URL}preview/"

    def test_with_a_script_only_the_words_come_back(self, client, draft):
        given = {"preview": "consent", "consent": "**Yes** <script>"}
        page = client.post(self.url, given, headers={"HX-Request": "true"})
        assert "<strong>Yes</strong> &lt;script&gt;" in page.content.decode()
        assert "<html" not in page.content.decode()

    def test_without_one_the_page_keeps_what_was_typed_and_saves_nothing(
        self, client, draft
    ):
        given = data_of(client, preview="instructions", instructions="# Read")
        page = client.post(self.url, {**given, "title": "Typed"}).content.decode()
        assert "<h3>Read</h3>" in page
        assert 'value="Typed"' in page
        draft.refresh_from_db()
        assert (draft.title, draft.instructions) == ("", "")

    def test_another_field_is_no_markdown(self, client, draft):
        given = {"preview": "title", "title": "**x**"}
        page = client.post(self.url, given, headers={"HX-Request": "true"})
        assert "x" not in page.content.decode().split()

    @pytest.mark.parametrize("drawn", [False, True])
    def test_the_first_page_can_be_looked_at_and_nothing_is_written(
        self, client, draft, drawn
    ):
        if drawn:
            lay_out(draft)
        page = client.get("/studies/ferry/preview/").content.decode()
        assert page.count('class="card" id="text-') == 4 + drawn
        assert "data-answer-url" not in page
        assert (Seat.objects.count(), Worker.objects.count()) == (0, 0)

    def test_a_preview_that_is_sent_says_so_and_writes_nothing(self, client, draft):
        form = {"a-1-coherence": 3, "comment": "x", "then": "next"}
        page = client.post("/studies/ferry/preview/?kind=ratings", form)
        assert page["Location"] == "/studies/ferry/preview/?kind=ratings&sent=#sent"
        assert 'id="sent"' in client.get(page["Location"]).content.decode()
        assert (Seat.objects.count(), Worker.objects.count()) == (0, 0)

    def test_without_texts_it_gives_the_first_step(self, client, make_study):
        make_study(prompts=0)
        page = client.get("/studies/ferry/preview/").content.decode()
        assert "/studies/ferry/import/" in page


class TestPracticePage:
    url = "/studies/ferry/practice/"

    def form(self, *texts: dict, **changes) -> dict:
        given = {"prefix": "", "label": "", "attempts": 2, **changes}
        given |= {"texts-TOTAL_FORMS": len(texts), "texts-INITIAL_FORMS": 0}
        return given | {
            f"texts-{number}-{name}": value
            for number, text in enumerate(texts)
            for name, value in text.items()
        }

    def test_it_is_saved_with_ranges_and_shown_again(self, client, draft):
        text = {"text": "A ferry.", "why": "Whole.", "coherence-from": 4}
        assert client.post(self.url, self.form(text, {})).status_code == 302
        kept = draft.practice.texts.get()
        assert (kept.text, kept.expected) == ("A ferry.", {"coherence": [4, 5]})
        first, *empty = client.get(self.url).context["texts"]
        ranges = first.expectation
        ends = ranges["coherence-from"].value(), ranges["coherence-to"].value()
        assert ends == (4, 5)
        assert len(empty) == 2

    @pytest.mark.parametrize(
        "text, said",
        [
            ({"text": "A ferry."}, "Otherwise everyone passes"),
            ({"coherence-from": 4}, "Enter the text"),
            (
                {"text": "A", "coherence-from": 4, "coherence-to": 2},
                "“to” must not be below “from”",
            ),
            ({"text": "A", "coherence-from": 9}, "valid choice"),
        ],
    )
    def test_a_page_that_will_not_do_is_explained(self, client, draft, text, said):
        answer = client.post(self.url, self.form(text))
        assert answer.status_code == 400
        assert said in answer.content.decode()
        assert not Practice.objects.exists()

    def test_it_is_removed_and_previewed(self, client, draft):
        client.post(self.url, self.form({"text": "A ferry.", "coherence-to": 2}))
        page = client.get(f"{self.url}preview/").content.decode()
        assert "A ferry." in page and "data-answer-url" not in page
        client.post(f"{self.url}remove/")
        assert not Practice.objects.exists()

    def test_after_opening_it_stays(self, client, draft):
        client.post(self.url, self.form({"text": "A ferry.", "coherence-to": 2}))
        lay_out(draft)
        answer = client.post(self.url, self.form({"text": "B", "coherence-to": 1}))
        assert "fixed when the study opened" in answer.content.decode()
        assert "Save the practice page" not in answer.content.decode()
        client.post(f"{self.url}remove/")
        assert draft.practice.texts.get().text == "A ferry."

    def test_a_scale_that_its_ranges_leave_is_refused(self, client, draft):
        client.post(self.url, self.form({"text": "A ferry.", "coherence-from": 4}))
        assert "change it first" in save(client, scale_max=4).content.decode()
