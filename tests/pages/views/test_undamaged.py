"""What researchers read, and choose, where no damaged text can be made."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation import imports, surveys
from annotation.models import Study
from tests.pages.working import begin, finish, full_form, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

CSV = (
    "prefix,label,system,text\n"
    "Alone.,positive,a,One sentence.\n"
    "Alone.,positive,b,Another one.\n"
)
SAID = "No damaged text can be made for 1 of 1 page."
CHOOSE = "/studies/ferry/damaged-texts/"


@pytest.fixture
def study(make_study) -> Study:
    return make_study(prompts=1, completion_code="C0DE2345")


def alice() -> User:
    return User.objects.get(username="alice")


def read(client, address: str) -> str:
    return client.get(address).content.decode()


class TestImport:
    def test_the_page_says_so(self, client, make_study):
        make_study(prompts=0)
        file = SimpleUploadedFile("texts.csv", CSV.encode())
        answer = client.post("/studies/ferry/import/", {"file": file}, follow=True)
        assert SAID in answer.content.decode()

    def test_so_does_the_overview_of_a_study_made_of_a_file(self, client):
        file = io.BytesIO(CSV.encode())
        imports.run(
            study_name="odd", format="csv", file=file, file_name="a.csv", owner=alice()
        )
        assert SAID in read(client, "/studies/odd/")

    def test_so_does_the_command(self, tmp_path):
        (tmp_path / "texts.csv").write_text(CSV)
        out = io.StringIO()
        path = str(tmp_path / "texts.csv")
        call_command("import_study", "odd", path, format="csv", stdout=out)
        assert SAID in out.getvalue()

    def test_so_does_the_api(self, client, make_study):
        make_study(prompts=0)
        form = {"format": "csv", "file": SimpleUploadedFile("a.csv", CSV.encode())}
        answer = client.post("/api/studies/ferry/uploads/", form)
        assert answer.status_code == 201
        assert answer.json()["no_damaged_text"].startswith(SAID)


class TestOverview:
    def test_it_says_so_and_setup_offers_the_choice(self, client, study):
        assert SAID in read(client, "/studies/ferry/")
        setup = read(client, "/studies/ferry/setup/")
        assert "Run the study without damaged texts" in setup
        assert 'href="/studies/ferry/open/">Open study' not in setup

    def test_after_the_choice_the_study_opens(self, client, study):
        client.post(CHOOSE, {"damaged_texts": "none"})
        page = read(client, "/studies/ferry/setup/")
        assert "No page of this study will hide a damaged text." in page
        client.post("/studies/ferry/open/")
        study.refresh_from_db()
        assert study.state == Study.State.OPEN
        assert SAID not in read(client, "/studies/ferry/")
        assert client.get("/studies/ferry/surveys/1/").status_code == 200

    def test_the_choice_can_be_taken_back(self, client, study):
        for choice in ("none", "every"):
            client.post(CHOOSE, {"damaged_texts": choice})
        assert SAID in read(client, "/studies/ferry/")

    @pytest.mark.parametrize("choice", ["", "some"])
    def test_what_is_no_choice_changes_nothing(self, client, study, choice):
        client.post(CHOOSE, {"damaged_texts": choice})
        study.refresh_from_db()
        assert study.damaged_texts == "every"

    def test_once_open_it_is_fixed(self, client, study):
        Study.objects.update(state=Study.State.OPEN)
        client.post(CHOOSE, {"damaged_texts": "none"})
        study.refresh_from_db()
        assert study.damaged_texts == "every"

    def test_the_settings_have_it_too(self, client, study):
        assert "on pages that allow one" in read(client, "/studies/ferry/settings/")


class TestQuality:
    def test_it_never_waits_for_texts_that_are_there(self, client, study):
        page = read(client, "/studies/ferry/quality/")
        assert "Once the study has texts" not in page
        assert SAID in page
        client.post(CHOOSE, {"damaged_texts": "none"})
        page = read(client, "/studies/ferry/quality/")
        assert "hides no damaged text on any page" in page

    def test_what_it_knows_of_other_pages_it_says_all_the_same(
        self, client, make_study
    ):
        study = make_study(prompts=3)
        prompt = study.prompts.last()
        prompt.label, prompt.prefix = None, "Nobody"
        prompt.save()
        prompt.generations.update(text="Nobody came.")
        page = read(client, "/studies/ferry/quality/")
        assert "No damaged text can be made for 1 of 3 pages." in page
        assert "averaged over the 2 pages with a damaged text" in page

    def test_without_texts_it_waits_for_them(self, client, make_study):
        make_study(prompts=0)
        assert "Once the study has texts" in read(client, "/studies/ferry/quality/")


class TestWorkers:
    def test_who_saw_no_damaged_text_is_told_of_none(self, study):
        Study.objects.update(damaged_texts="none")
        surveys.open_study(study=study)
        client, seat = begin(Study.objects.get())
        form = {name: "4" for name in full_form_of(seat)}
        client.post(url("submit", seat), {**form, "then": "stop"})
        page = finish(client, study)
        assert "C0DE2345" in page
        assert "damaged" not in page

    def test_who_saw_some_is_told_of_some(self, make_study):
        study = make_study(prompts=2, completion_code="C0DE2345")
        surveys.open_study(study=study)
        client, seat = begin(study)
        client.post(url("submit", seat), full_form(seat, then="next"))
        second = study.workers.get().seats.get(state="claimed")
        second.survey.negative.delete()
        second.order = list(second.survey.items.values_list("pk", flat=True))
        second.save()
        form = {name: "4" for name in full_form_of(second)}
        client.post(url("submit", second), {**form, "then": "stop"})
        assert "On some pages, one text was" in finish(client, study)


def full_form_of(seat) -> list[str]:
    keys = seat.survey.study.aspects.values_list("key", flat=True)
    return [f"a-{at}-{key}" for at in range(1, len(seat.order) + 1) for key in keys]
