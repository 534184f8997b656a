from __future__ import annotations

import html
import json
import re

import pytest

from annotation import kept, surveys
from annotation.kept import keeping
from annotation.models import Policy, Rejudging, Seat, Study, Summary
from annotation.quality import applying, checked_pages, previewing
from tests.annotation import talks
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.pages.browsing import faults, log_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

URL = "/studies/ferry/quality/"
SAVE, REJUDGE = f"{URL}save/", f"{URL}rejudge/"
STRICT = {"rule": "above_any", "on": "hurt", "worker_pages": 5}


@pytest.fixture
def draft(make_study):
    return make_study(prompts=4)


@pytest.fixture
def study(draft):
    """Open; ann's page is valid, bea's is discarded."""
    lay_out(draft)
    hand_in(sit(draft, "ann"))
    hand_in(sit(draft, "bea"), careful=False)
    return draft


def read(client, data=None) -> str:
    answer = client.get(URL, data)
    assert answer.status_code == 200
    return answer.content.decode()


def words(page: str) -> str:
    """What a reader sees: no tags, single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


class TestBothSides:
    def test_a_draft_shows_what_each_rule_catches_and_costs(self, client, draft):
        page = words(read(client))
        assert "averaged over the 4 pages with a damaged text" in page
        assert "damaged text above the best real text this policy" in page
        assert "Careful people Noisy people" in page

    def test_the_table_holds_for_one_aspect_and_the_mean(self, client, draft):
        page = words(read(client))
        assert "2 24.0 % 44.8 % 56.0 %" in page
        assert "4 11.3 % 47.5 % 68.7 %" in page
        assert "compared on the mean of 3 aspects" in page
        assert "4 15.7 % 48.2 % 74.9 %" in page

    def test_it_is_told_for_dialogues_too(self, client, alice):
        talks.make(alice, name="ferry")
        page = words(read(client))
        assert "Chance of catching random answers, compared on one aspect" in page

    def test_a_previewed_policy_is_marked_as_not_saved(self, client, draft):
        page = words(read(client, STRICT))
        assert "version 2 (not saved yet) discards" in page
        assert "damaged text above the worst real text this policy" in page
        assert draft.policies.count() == 1

    def test_the_test_over_pages_and_the_floor_are_told_when_asked_for(
        self, client, draft
    ):
        assert "fail the test over" not in read(client)
        more = {**STRICT, "worker_p": 0.1, "characters_per_second": 60}
        page = words(read(client, more))
        assert "People who fail the test over their first 5 pages" in page
        assert re.search(r"less than \d+ seconds is discarded", page)

    def test_the_odds_are_told_with_what_they_find(self, client, draft):
        more = {**STRICT, "chance_odds": 50, "with_others": "on", "same_pages": 3}
        page = words(read(client, more))
        assert "Workers found by the odds of random answers" in page
        assert "at most 1 in 50 people who notice the damage" in page
        assert "Agreement with others finds more" in page
        assert "if 3 pages, and more than half of the worker’s pages" in page
        assert "Workers found by the odds" not in read(client, STRICT)

    def test_the_characters_told_are_about_those_that_pages_have(self, client, draft):
        surveys.open_study(study=draft)
        hand_in(sit(draft, "ann"))
        seats = Seat.objects.all()
        (page,) = checked_pages.read(study=draft, seats=seats, now=NOON, texts=True)
        context = client.get(URL, {**STRICT, "characters_per_second": 60}).context
        told = context["reading"]["characters"]
        assert told == pytest.approx(page.characters, rel=0.1)

    def test_without_texts_it_says_what_will_be_here(self, client, make_study):
        make_study(prompts=0)
        page = words(read(client))
        assert "Once the study has texts" in page
        assert "4 11.3 % 47.5 % 68.7 %" in page

    def test_too_many_texts_are_not_laid_out_for_a_page(
        self, client, draft, monkeypatch
    ):
        monkeypatch.setattr("annotation.quality.page_shapes.MAX_PLANNED", 3)
        assert "too many texts" in read(client)


class TestForm:
    def test_it_shows_the_policy_in_force(self, client, draft):
        Policy.objects.create(
            study=draft, version=2, rule="above_mean", block_after=3, worker_p=0.05
        )
        form = client.get(URL).context["form"]
        assert form["block_after"].value() == 3
        assert form["rule"].value() == "above_mean"

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"on": "chosen"}, "Choose at least one aspect."),
            ({"block_within": 5}, "Enter the number of discarded pages as well."),
            ({"block_after": 5, "block_within": 3}, "Expected at least 5, got 3."),
            ({"same_faster_than": 30}, "This narrows"),
            ({"worker_p": 0.9}, "less than or equal to 0.5"),
            ({"rule": "below"}, "below is not one of the available choices"),
        ],
    )
    def test_a_mistake_is_said_and_nothing_is_previewed(
        self, client, draft, wrong, said
    ):
        page = read(client, {**STRICT, **wrong})
        assert said in page
        assert 'role="alert"' in page
        assert 'id="preview"' not in page


class TestPreview:
    def test_it_says_how_many_pages_would_change_and_writes_nothing(
        self, client, study
    ):
        seat = Seat.objects.get(state="discarded")
        before = list(Seat.objects.order_by("pk").values("state", "place"))
        page = words(read(client, {**STRICT, "same_score": "on"}))
        assert "0 that count now would be discarded" in page
        lenient = {**STRICT, "rule": "above_all", "on": "chosen"}
        seat.annotations.filter(aspect__key="relevance").update(value=1)
        page = words(read(client, {**lenient, "chosen": "relevance"}))
        assert "1 that does not count now would be valid" in page
        assert "Discarded Valid 1" in page
        assert before == list(Seat.objects.order_by("pk").values("state", "place"))
        assert study.policies.count() == 1

    def test_it_shows_how_far_each_mean_would_move(self, client, study):
        Seat.objects.get(state="discarded").annotations.filter(
            aspect__key="relevance"
        ).update(value=1)
        data = {**STRICT, "on": "chosen", "chosen": "relevance"}
        page = words(read(client, data))
        assert "a 4.00 → 3.00 −1.00" in page

    def test_of_a_large_study_a_worker_finds_out(self, client, study, monkeypatch):
        Seat.objects.get(state="discarded").annotations.filter(
            aspect__key="relevance"
        ).update(value=1)
        data = {**STRICT, "on": "chosen", "chosen": "relevance"}
        expected = words(read(client, data))
        monkeypatch.setattr(keeping, "MOST_PAGES", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        before = words(read(client, data))
        assert "worked out in the background" in before
        assert "Save and apply to 2 submitted pages" in before
        for row in Summary.objects.all():
            kept.SUMMARY_WORK.perform(pk=row.pk, owner="here/1/a")
        assert words(read(client, data)) == expected

    def test_settings_of_a_policy_come_back_from_their_name(self, study):
        data = {"worker_p": 0.05, "chosen": ["coherence"], "with_others": True}
        policy = Policy(study=study, version=9, on=Policy.On.CHOSEN, **data)
        again = json.loads(previewing._variant(policy))
        assert again == {**data, "on": "chosen"}

    def test_what_is_previewed_is_what_the_button_sends(self, client, study):
        data = {**STRICT, "same_score": "on", "on": "chosen", "chosen": "coherence"}
        page = read(client, data)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
        sent = {name: value for name, value in hidden if name != "csrfmiddlewaretoken"}
        assert client.post(REJUDGE, sent).status_code == 302
        saved = study.current_policy()
        assert (saved.version, saved.rule, saved.same_score) == (2, "above_any", True)
        assert (saved.on, saved.chosen, saved.worker_p) == (
            "chosen",
            ["coherence"],
            None,
        )

    def test_a_closed_study_has_no_pages_to_come(self, client, study):
        Study.objects.update(state=Study.State.CLOSED)
        page = words(read(client, STRICT))
        assert "Save and apply to 2 submitted pages" in page
        assert "for new pages only" not in page


class TestChange:
    def test_saving_judges_only_the_pages_to_come(self, client, study):
        page = client.post(SAVE, STRICT, follow=True).content.decode()
        assert "Version 2 applies to new pages." in page
        assert study.current_policy().rule == "above_any"
        assert Seat.objects.get(state="valid").verdicts.count() == 1

    def test_judging_again_moves_pages_and_says_so(self, client, study):
        data = {**STRICT, "characters_per_second": 60}
        page = client.post(REJUDGE, data, follow=True).content.decode()
        assert "Version 2 was applied to 2 pages: 1 valid to discarded." in page
        assert not Seat.objects.filter(state="valid").exists()
        assert study.events.filter(verb="judged-again").count() == 1

    def test_many_pages_are_checked_again_by_a_worker(self, client, study, monkeypatch):
        monkeypatch.setattr(applying, "MOST_AT_ONCE", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        data = {**STRICT, "characters_per_second": 60}
        page = client.post(REJUDGE, data, follow=True).content.decode()
        assert "Version 2 applies to new pages from now on." in page
        assert "The submitted pages are being read." in page
        assert "No worker that can do this is running" in page
        assert f'hx-get="{URL}applying/"' in page
        assert "<h2" in client.get(f"{URL}applying/").content.decode()
        page = client.post(SAVE, STRICT, follow=True).content.decode()
        assert "Version 2 is still being applied to submitted pages." in page
        applying.QUALITY.perform(pk=study.rejudging.pk, owner="me")
        assert client.get(f"{URL}applying/").headers["HX-Refresh"] == "true"
        page = words(read(client))
        assert "Version 2 was applied to 2 submitted pages on" in page
        assert "1 valid to discarded." in page
        client.post(SAVE, STRICT)
        assert "was applied to" not in words(read(client))

    def test_what_is_cancelled_or_fails_is_told(self, client, study, monkeypatch):
        monkeypatch.setattr(applying, "MOST_AT_ONCE", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        client.post(REJUDGE, STRICT)
        page = client.post(f"{URL}applying/cancel/", follow=True).content.decode()
        assert "You cancelled applying version 2: 0 submitted pages" in words(page)
        Rejudging.objects.update(state="failed", error="No memory.", done=1, total=2)
        page = words(read(client))
        assert "(1 of 2 were checked again)" in page
        assert "The reason: No memory." in page

    def test_others_neither_see_nor_cancel_it(self, client, study, bob, monkeypatch):
        monkeypatch.setattr(applying, "MOST_AT_ONCE", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        client.post(REJUDGE, STRICT)
        client.force_login(bob)
        assert client.get(f"{URL}applying/").status_code == 404
        assert client.post(f"{URL}applying/cancel/").status_code == 404
        assert study.rejudging.state == "queued"

    def test_the_same_settings_make_no_new_version(self, client, study):
        of_kinds = {"edit_untouched": "on", "edit_high": 60, "span_share": 25}
        same = {**STRICT, "rule": "above_all", **of_kinds}
        client.post(SAVE, same)
        client.post(REJUDGE, same)
        assert study.policies.count() == 1

    @pytest.mark.parametrize("url", [SAVE, REJUDGE])
    def test_what_is_not_valid_changes_nothing(self, client, study, url):
        answer = client.post(url, {**STRICT, "rule": "below"})
        assert answer.status_code == 400
        assert study.policies.count() == 1

    @pytest.mark.parametrize("url", [SAVE, REJUDGE])
    def test_reading_changes_nothing(self, client, study, url):
        assert client.get(url, STRICT).url.startswith("/studies/ferry/quality/?")
        assert study.policies.count() == 1

    def test_it_works_in_a_draft(self, client, draft):
        client.post(SAVE, STRICT)
        assert draft.current_policy().version == 2


class TestVersions:
    def test_the_old_settings_can_be_had_again(self, client, study):
        settings = {**STRICT, "same_score": "on", "worker_p": 0.1, "block_after": 3}
        chosen = {"on": "chosen", "chosen": ["coherence", "relevance"]}
        client.post(SAVE, settings | chosen)
        client.post(SAVE, {**STRICT, "rule": "above_mean"})
        page = read(client)
        query = html.unescape(re.search(r'href="\?(rule=above_any[^"#]*)#', page)[1])
        form = client.get(f"{URL}?{query}").context["form"]
        assert not form.errors
        again, wanted = form.policy(), study.policies.get(version=2)
        for name in form.Meta.fields:
            assert getattr(again, name) == getattr(wanted, name)


class TestAfter:
    def test_it_shows_the_shift_of_each_system(self, client, study):
        page = words(read(client))
        assert "1 of 2 pages is discarded" in page
        assert "a 3.00 → 4.00 +1.00" in page

    def test_it_says_why_there_is_no_number_yet(self, client, study):
        assert "none: nobody else has rated" in words(read(client))

    def test_before_the_first_page_it_says_what_will_be_here(self, client, draft):
        assert "After the first pages are submitted" in read(client)

    def test_a_new_page_is_counted_though_the_last_look_is_kept(self, client, study):
        assert "1 of 2 pages" in words(read(client))
        hand_in(sit(study, "cai"))
        assert "1 of 3 pages" in words(read(client))


@pytest.mark.django_db(transaction=True)
def test_it_is_accessible_quiet_and_fits_a_phone(page, live_server, study):
    log_in(page, live_server.url)
    page.goto(live_server.url + URL)
    page.get_by_label("Discard a page with its").select_option("above_any")
    page.get_by_label("Discard when p exceeds").fill("0.1")
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_role("heading", name="What version 2 would do").wait_for()
    assert "#preview" in page.url
    assert faults(page) == []
    page.get_by_role("button", name="Save and apply to 2 submitted pages").click()
    page.get_by_text("Version 2 was applied to 2 pages").wait_for()
    assert page.problems == []


@pytest.mark.django_db(transaction=True)
def test_the_page_follows_the_worker_that_applies_a_policy(
    page, live_server, study, monkeypatch
):
    monkeypatch.setattr(applying, "MOST_AT_ONCE", 1)
    monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
    log_in(page, live_server.url)
    page.goto(page.base + URL)
    page.get_by_role("button", name="Preview the effect").click()
    page.get_by_role("button", name=re.compile("to 2 submitted pages")).click()
    page.get_by_role("heading", name="Applying version").wait_for()
    assert faults(page) == []
    applying.QUALITY.perform(pk=Rejudging.objects.get().pk, owner="me")
    page.get_by_text("was applied to 2 submitted pages").wait_for()
    assert faults(page) == []
    assert page.problems == []
