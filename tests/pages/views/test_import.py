from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F

from annotation import imports
from annotation.assistant import keeping, working
from annotation.imports._writing import Plan
from annotation.models import Generation, Import, Importing, Study, Upload
from evalapp import storage
from tests.annotation.imports import given
from tests.annotation.seating import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice", "own_folder")]

GOOD = "prefix,label,system,text\nThe sea,positive,a,The sea shone.\n"
OWN = "id,model,prompt,output\n1,a,Say it.,The sea shone.\n2,b,Say it.,The sea is.\n"
BROKEN = '{"output": "One."}\n{"output": "Two.\n{"output": "Three."}\n'

LOST = {
    "removed": lambda study, user: study.members.filter(user=user).delete(),
    "a viewer": lambda study, user: study.members.update(role="viewer"),
    "archived": lambda study, user: Study.objects.update(archived_at=NOON),
    "deleted": lambda study, user: Study.objects.update(deleted_at=NOON),
    "inactive": lambda study, user: type(user).objects.update(is_active=False),
}


@pytest.fixture
def own_folder(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def study(make_study):
    """An empty draft with the labels positive and negative."""
    return make_study(prompts=0, systems=())


def send(client, content, url="/studies/new/", file_name="texts.csv"):
    content = content.encode() if isinstance(content, str) else content
    return client.post(
        url, {"file": SimpleUploadedFile(file_name, content)}, follow=True
    )


def fields(page, **changed) -> dict[str, object]:
    """What a browser would send of the page."""
    sent = {}
    for form in (page.context["columns"], page.context.get("made")):
        for field in form or ():
            value = field.value()
            sent[field.html_name] = "" if value is None else value
    return {**sent, **changed}


def press(client, page, do="import", **changed):
    upload = page.context["upload"]
    data = {**fields(page, **changed), "do": do}
    return client.post(upload.get_absolute_url(), data, follow=True)


def contents() -> tuple[int, ...]:
    return tuple(kind.objects.count() for kind in (Study, Generation, Import))


class TestANewStudy:
    def test_a_file_with_its_own_columns_becomes_one_in_two_steps(self, client, alice):
        page = send(client, OWN, file_name="My lake.csv")
        said = page.content.decode()
        assert "Nothing is stored yet" in said and "Import 2 texts" in said
        assert "2 (a, b)" in said
        assert contents() == (0, 0, 0)
        page = press(client, page)
        study = Study.objects.get()
        assert page.redirect_chain[-1][0] == study.get_absolute_url()
        assert "2 texts imported into my-lake." in page.content.decode()
        assert (study.name, study.owner, study.scale_max) == ("my-lake", alice, 5)
        assert study.prompts.get().source == "Say it."

    def test_references_keep_the_order_of_the_file_in_every_database(self, client):
        # PostgreSQL keeps the keys of JSON sorted by their length.
        table = "longest name,b,text\nFirst.,Second.,A text.\n"
        roles = {"role-0": "reference", "role-1": "reference", "role-2": "text"}
        press(client, press(client, send(client, table), do="check", **roles), **roles)
        found = Study.objects.get().prompts.get().references.order_by("position")
        assert [one.text for one in found] == ["First.", "Second."]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ('{"text": "Half \\ud800 a sign."}\n', "contains half of a surrogate pair"),
            ('{"text": "A.", "\\ud800": 1}\n', "The name of a column contains half of"),
            ('{"text": "A.", "\\ud800": 1, "\\ud800": 1}\n', "occurs twice"),
        ],
    )
    def test_what_no_page_can_show_is_told(self, client, content, said):
        page = send(client, content, file_name="texts.jsonl")
        assert page.status_code == 200 and said in page.content.decode()

    def test_its_words_suit_its_texts_in_the_language_that_was_chosen(self, client):
        press(client, send(client, OWN), language="de")
        study = Study.objects.get()
        assert study.language == "de"
        assert study.instructions.startswith("Jede Seite zeigt eine Aufgabe und")
        asked = set(study.aspects.values_list("question", flat=True))
        assert "Wie gut passt der Text zu seiner Aufgabe?" in asked

    def test_hanna_is_recognised_and_comes_with_its_ratings(self, client):
        page = send(client, given.hanna(), file_name="hanna_stories_annotations.csv")
        said = page.content.decode()
        assert "Recognised as <strong>HANNA</strong>" in said
        assert "72 ratings of Relevance, Coherence" in said
        page = press(client, page)
        study = Study.objects.get()
        assert study.is_rated_elsewhere and study.aspects.count() == 6
        assert study.systems.get(name="Human").kind == "human"
        said = page.content.decode()
        assert "Rated elsewhere" in said and "Draft" not in said

    def test_a_column_is_corrected_without_choosing_the_file_again(self, client):
        page = send(client, OWN.replace("output", "comments"))
        number = next(
            c.number for c in page.context["look"].columns if c.name == "model"
        )
        page = press(client, page, "check", **{f"role-{number}": "ignore"})
        assert page.context["report"]["systems"] == 0
        assert "not named" in page.content.decode()
        press(client, page)
        assert Study.objects.get().systems.count() == 0

    def test_a_change_refreshes_only_what_the_file_allows(self, client):
        page = send(client, OWN)
        url = page.context["upload"].get_absolute_url()
        answer = client.post(url, fields(page), headers={"HX-Request": "true"})
        assert answer.content.decode().lstrip().startswith('<section id="outcome"')

    def test_a_broken_line_can_be_left_out_by_an_explicit_choice(self, client):
        page = send(client, BROKEN, file_name="texts.jsonl")
        said = page.content.decode()
        assert "Line 2 is not valid JSON (a text has no quotation mark" in said
        assert "Leave out 1 line and import 2 texts" in said
        assert contents() == (0, 0, 0)
        page = press(client, page, "import")  # without the choice nothing happens
        assert contents() == (0, 0, 0)
        press(client, page, "leave-out")
        texts = Generation.objects.values_list("text", flat=True)
        assert [*texts] == ["One.", "Three."]

    def test_what_becomes_of_empty_texts_is_told_before(self, client):
        page = send(client, GOOD + "The lake,positive,b,\n")
        said = "1 text is empty: imported as no output of system b."
        assert said in page.content.decode()
        press(client, page)
        assert Generation.objects.without_words().count() == 1

    def test_a_name_that_is_taken_is_said_at_the_field(self, client, make_study):
        make_study(name="lake")
        page = send(client, OWN)
        page = press(client, page, name="lake")
        assert page.status_code == 400
        assert "is already used" in page.context["made"].errors["name"][0]

    def test_two_files_of_one_name_get_two_names(self, client):
        for _ in range(2):
            press(client, send(client, OWN))
        assert {s.name for s in Study.objects.all()} == {"texts", "texts-2"}

    def test_the_scale_is_the_usual_one_that_all_ratings_fit(self, client):
        content = given.table(("text", "coherence"), [("One.", 1), ("Two.", 7)])
        page = send(client, content)
        assert "scale from 1 to 7" in page.content.decode()
        page = press(client, page, "check", scale="1-5")
        assert "outside the scale from 1 to 5" in page.content.decode()
        press(client, page, scale="0-10")
        assert Study.objects.get().scale == range(0, 11)

    def test_another_sheet_begins_anew(self, client):
        content = given.excel(("id", "output"), (1, "One."), sheets=("Notes", "Data"))
        page = send(client, content, file_name="texts.xlsx")
        page = client.post(
            page.context["upload"].get_absolute_url(),
            {"sheet": "Data", "do": "check", "preset": ""},
            follow=True,
        )
        assert page.context["report"]["texts"] == 1

    def test_pages_that_allow_no_damaged_text_are_told_before(self, client):
        page = send(client, "prompt,output\nA,One word.\nA,Two words.\n")
        assert "cannot damage a text on every page" in page.content.decode()

    def test_hanna_s_scores_without_texts_say_which_file_to_take(self, client):
        header = "Model,Relevance,Coherence,Empathy,Surprise,Engagement,Complexity"
        row = ",".join(['"[1.0, 2.0]"'] * 6)
        said = send(client, f"{header}\nGPT,{row}\n").content.decode()
        assert "hanna_stories_annotations.csv" in said

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "The submitted file is empty."),
            (b" \n", "The file is empty"),
            (b"PK\x03\x04 nothing", "It may be damaged"),
            (b"\x00\x01\x02", "This kind of file cannot be read here"),
        ],
    )
    def test_what_cannot_be_read_is_said_in_a_sentence(self, client, content, said):
        assert said in send(client, content).content.decode()
        assert contents() == (0, 0, 0)

    def test_a_hostile_file_is_shown_as_text(self, client):
        page = send(client, "<img src=x>,output\n<b>,<script>alert(1)</script>\n")
        assert "<img src=x>" not in page.content.decode()
        assert "<script>alert" not in page.content.decode()

    def test_without_a_file_an_empty_draft_is_created(self, client, alice):
        data = {"name": "lake", "ratings_per_text": 3, "scale_min": 1, "scale_max": 7}
        answer = client.post("/studies/new/", {**data, "language": "de"})
        study = Study.objects.get()
        assert study.language == "de" and study.consent.startswith("Sie lesen")
        assert answer["Location"] == study.get_absolute_url()
        assert (study.owner, study.scale_max, study.ratings_per_text) == (alice, 7, 3)

    @pytest.mark.parametrize("name", ["ferry", "new", "two words", "", "ü"])
    def test_a_name_that_will_not_do_is_refused(self, client, study, name):
        data = {"name": name, "ratings_per_text": 3, "scale_min": 1, "scale_max": 7}
        data["language"] = "en"
        assert client.post("/studies/new/", data).status_code == 400
        assert Study.objects.get() == study

    def test_a_file_that_is_too_large_is_refused_with_a_sentence(
        self, client, settings
    ):
        settings.UPLOAD_MAX_BYTES = 1024 * 1024
        answer = send(client, b"x" * (2 * 1024 * 1024))
        assert answer.status_code == 400
        assert "larger than 1 MB, the maximum" in answer.content.decode()
        assert not Upload.objects.exists()


class TestAddingToAStudy:
    url = "/studies/ferry/import/"

    def test_a_good_file_is_in_after_the_press(self, client, study):
        page = send(client, GOOD, self.url)
        assert page.status_code == 200 and not study.generations.exists()
        press(client, page)
        assert study.generations.get().text == "The sea shone."
        assert study.imports.get().created_by.username == "alice"
        assert not storage.children(keeping.FOLDER)

    def test_all_problems_stand_there_once_with_their_lines(self, client, study):
        rows = "".join(f"x,{label},a,Text {n}.\n" for n, label in enumerate("abc"))
        page = send(client, GOOD + rows, self.url).content.decode()
        assert "1 problem. Nothing was stored." in page
        assert "3 lines (3, 4, 5): label" in page

    @pytest.mark.parametrize("state", ["open", "closed"])
    def test_an_open_or_closed_study_takes_no_texts(self, client, study, state):
        Study.objects.update(state=state)
        assert send(client, GOOD, self.url).status_code == 400
        assert not Upload.objects.exists()

    def test_texts_can_be_cut_as_in_the_paper(self, client, study):
        page = send(client, GOOD.replace("shone.", "shone. Four five six."), self.url)
        press(client, page, cut=4)
        assert study.generations.get().text == "The sea shone."


class TestKeeping:
    def test_nobody_else_sees_an_upload_staff_neither(self, client, staff, bob):
        url = send(client, OWN).context["upload"].get_absolute_url()
        for other in (bob, staff):
            client.force_login(other)
            for path in ("", "state/"):
                assert client.get(url + path).status_code == 404
            for path in ("", "cancel/", "discard/"):
                assert client.post(url + path).status_code == 404

    def test_a_discarded_file_is_gone(self, client):
        upload = send(client, OWN).context["upload"]
        client.post(f"{upload.get_absolute_url()}discard/")
        assert not Upload.objects.exists() and not storage.children(keeping.FOLDER)

    def test_what_is_done_leads_to_its_study(self, client):
        page = send(client, OWN)
        press(client, page)
        answer = client.get(page.context["upload"].get_absolute_url())
        assert answer["Location"] == "/studies/texts/"


class TestOtherEncodings:
    CAFE = "id,output\n1,Un café au lait.\n2,Une naïveté.\n"

    def texts(self) -> list[str]:
        return [*Generation.objects.values_list("text", flat=True)]

    def test_utf_16_with_its_mark_is_read_and_said(self, client):
        page = send(client, self.CAFE.encode("utf-16"))
        assert "Read as UTF-16." in page.content.decode()
        press(client, page)
        assert self.texts() == ["Un café au lait.", "Une naïveté."]
        assert Import.objects.get().options["encoding"] == "utf-16"

    def test_windows_1252_is_said_with_words_that_show_it(self, client):
        page = send(client, self.CAFE.encode("cp1252"))
        said = page.content.decode()
        assert "Read as Windows-1252: check the accents below" in said
        assert "“café”, “naïveté”" in said
        press(client, page)
        assert self.texts()[0] == "Un café au lait."

    def test_another_encoding_can_be_chosen(self, client):
        page = send(client, "id,output\n1,Bu kışın oldu.\n".encode("cp1254"))
        assert "“kýþýn”" in page.content.decode()
        page = press(client, page, "check", encoding="cp1254")
        said = page.content.decode()
        assert "Bu kışın oldu." in said and "Read as Windows-1254." in said
        press(client, page)
        assert self.texts() == ["Bu kışın oldu."]

    def test_the_encoding_of_another_script_is_recognised(self, client):
        page = send(client, "id,output\n1,Привет мир.\n".encode("cp1251"))
        assert "Read as Windows-1251: check the accents" in page.content.decode()
        press(client, page)
        assert self.texts() == ["Привет мир."]

    def test_a_column_stays_as_it_was_corrected(self, client):
        page = send(client, self.CAFE.replace("id", "model").encode("cp1252"))
        page = press(client, page, "check", **{"role-0": "ignore"})
        assert page.context["report"]["systems"] == 0
        assert "Read as Windows-1252" in page.content.decode()

    def test_the_wrong_encoding_is_refused_and_can_be_changed(self, client):
        page = send(client, self.CAFE.encode("cp1252"))
        page = press(client, page, "check", encoding="shift_jis")
        said = page.content.decode()
        assert "The file is not Shift JIS (Japanese): choose another" in said
        page = press(client, page, "check", encoding="cp1252")
        press(client, page)
        assert self.texts()[0] == "Un café au lait."


class TestLargeFiles:
    @pytest.fixture(autouse=True)
    def everything_is_large(self, monkeypatch):
        monkeypatch.setattr(working, "SMALL_BYTES", 0)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)

    def work(self) -> None:
        for row in Importing.objects.filter(state="queued"):
            working.IMPORTS.perform(pk=row.pk, owner="me/1/x")

    def test_a_worker_checks_then_imports_while_the_page_asks(self, client):
        page = send(client, OWN)
        upload = page.context["upload"]
        state = f"{upload.get_absolute_url()}state/"
        assert "0 % done" in page.content.decode()
        assert (
            "No worker that can do this is running"
            in client.get(state).content.decode()
        )
        self.work()
        assert client.get(state)["HX-Refresh"] == "true"
        page = press(client, client.get(upload.get_absolute_url()))
        assert "Importing texts.csv" in page.content.decode()
        self.work()
        assert client.get(state)["HX-Redirect"] == "/studies/texts/"
        assert Generation.objects.count() == 2

    def test_of_a_large_json_document_only_a_worker_sees_all(self, client, monkeypatch):
        monkeypatch.setattr(working, "SMALL_BYTES", 1 << 30)
        monkeypatch.setattr("annotation.imports.SMALL_DOCUMENT", 10)
        rows = [{"answer": f"It rained {n} times.", "quality": 4} for n in range(3)]
        page = send(client, json.dumps(rows), file_name="texts.json")
        said = page.content.decode()
        assert "shown once the whole file has been read" in said
        assert "What it is" not in said
        upload = page.context["upload"]
        page = client.post(upload.get_absolute_url(), {"do": "check"}, follow=True)
        assert Importing.objects.get().state == "queued"
        self.work()
        page = client.get(upload.get_absolute_url())
        assert page.context["report"]["ratings"] == 3
        assert page.context["upload"].columns  # so that a recipe can be proposed
        press(client, page)
        self.work()
        assert Generation.objects.count() == 3

    def test_a_large_json_document_that_cannot_be_read_says_why(
        self, client, monkeypatch
    ):
        monkeypatch.setattr("annotation.imports.SMALL_DOCUMENT", 10)
        page = send(client, '[{"answer": "It rained."', file_name="texts.json")
        self.work()
        said = client.get(page.context["upload"].get_absolute_url()).content.decode()
        assert "This file cannot be imported." in said
        assert "not valid JSON" in said
        assert "shown once the whole file has been read" not in said

    def test_the_bar_covers_storing_too(self, client, monkeypatch):
        page = send(client, OWN)
        self.work()
        page = press(client, client.get(page.context["upload"].get_absolute_url()))
        Importing.objects.update(state="running", done=F("total") * 3 / 4)
        said = client.get(page.context["upload"].get_absolute_url()).content.decode()
        assert "The texts are being stored: 7" in said and 'value="7' in said

    def test_a_cancelled_import_leaves_nothing(self, client, monkeypatch):
        monkeypatch.setattr("annotation.imports._writing.PIECE", 1)
        monkeypatch.setattr("evalapp.work.retries.REPORT_SECONDS", 0)
        page = send(client, OWN)
        self.work()
        url = page.context["upload"].get_absolute_url()
        press(client, client.get(url))
        save = Plan.save

        def cancelled(plan, sheet, now, *, piece, stored):
            def told(n: int) -> None:
                client.post(f"{url}cancel/")
                stored(n)

            save(plan, sheet, now, piece=piece, stored=told)

        monkeypatch.setattr(Plan, "save", cancelled)
        self.work()
        assert Importing.objects.get().state == "cancelled"
        assert contents() == (0, 0, 0)

    @pytest.mark.parametrize("lost", LOST)
    def test_a_worker_stores_nothing_for_who_may_not_edit_any_more(
        self, client, study, alice, lost
    ):
        page = send(client, GOOD, f"/studies/{study.name}/import/")
        self.work()
        press(client, client.get(page.context["upload"].get_absolute_url()))
        assert Importing.objects.get().state == "queued"
        LOST[lost](study, alice)
        self.work()
        assert Importing.objects.get().state == "failed"
        assert contents() == (1, 0, 0)

    def test_it_can_be_cancelled_and_checked_again(self, client):
        upload = send(client, OWN).context["upload"]
        url = upload.get_absolute_url()
        page = client.post(f"{url}cancel/", follow=True)
        assert "Not checked yet" in page.content.decode()
        self.work()
        page = press(client, page, "check")
        self.work()
        assert "Import 2 texts" in client.get(url).content.decode()

    def test_what_stopped_it_is_told(self, client, study):
        upload = send(client, OWN).context["upload"]
        self.work()
        page = client.get(upload.get_absolute_url())
        press(client, page, name="lake")
        Study.objects.create(name="lake")
        self.work()
        said = client.get(upload.get_absolute_url()).content.decode()
        assert "could not be imported" in said and "is already used" in said


@pytest.mark.parametrize("name", imports.FORMATS)
def test_the_sample_of_each_format_can_be_imported(client, name):
    path = Path(finders.find(imports.FORMATS[name].sample_file))
    page = send(client, path.read_bytes(), file_name=path.name)
    assert page.context["look"].problems == [] and not page.context["report"]["causes"]
    press(client, page, name="lake")
    assert Study.objects.get(name="lake").generations.exists()


def test_the_first_sample_makes_a_study_that_can_open(client):
    content = Path(finders.find("samples/sample.csv")).read_bytes()
    press(client, send(client, content), name="lake")
    client.post("/studies/lake/open/")
    study = Study.objects.get()
    assert (study.state, study.surveys.count()) == (Study.State.OPEN, 6)


@pytest.mark.parametrize("htmx", [True, False])
def test_a_choice_that_comes_while_the_file_is_imported_leads_to_the_study(
    client, make_study, monkeypatch, htmx
):
    page = send(client, OWN)
    study = make_study(name="meanwhile")

    def too_late(*, upload, choices):
        Upload.objects.update(made=study)
        keeping.path(upload).unlink()
        keeping.path(upload).open("rb")

    monkeypatch.setattr("annotation.assistant.choose", too_late)
    upload = page.context["upload"]
    sent = {**fields(page), "do": "check"}
    changed = {name: "ignore" for name, value in sent.items() if value == "system"}
    headers = {"HX-Request": "true"} if htmx else {}
    response = client.post(
        upload.get_absolute_url(), {**sent, **changed}, headers=headers
    )
    where = "HX-Redirect" if htmx else "Location"
    assert response.headers[where] == study.get_absolute_url()
