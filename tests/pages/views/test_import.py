from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import imports
from annotation.models import Generation, Import, Study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

GOOD = "prefix,label,system,text\nThe sea,positive,a,The sea shone.\n"
RATED = """\
prefix,label,system,text,rating:coherence,rating:overall
The sea,positive,a,The sea shone.,4;5,5
"""
BAD = """\
prefix,label,system,text,rating:coherence
The sea,positive,a,The sea shone.,7
The sea,positive,a,,3
The sea,sad,b,The sea rose.,3
"""


@pytest.fixture
def study(make_study):
    """An empty draft with the labels positive and negative."""
    return make_study(prompts=0, systems=())


def upload(
    client, content, url="/studies/ferry/import/", file_name="texts.csv", **data
):
    content = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile(file_name, content)
    return client.post(url, {"format": "csv", **data, "file": file}, follow=True)


def contents() -> tuple[int, ...]:
    return tuple(kind.objects.count() for kind in (Study, Generation, Import))


class TestUpload:
    def test_a_good_file_is_in_and_its_texts_are_shown(self, client, study):
        page = upload(client, GOOD)
        assert page.redirect_chain == [("/studies/ferry/texts/", 302)]
        assert "The file is in." in page.content.decode()
        assert study.generations.get().text == "The sea shone."
        assert study.imports.get().created_by.username == "alice"

    def test_a_bad_file_lists_all_its_errors_with_line_numbers(self, client, study):
        before = contents()
        answer = upload(client, BAD)
        assert answer.status_code == 400
        problems = answer.context["problems"]
        assert [line[:6] for line in problems] == [
            "line 2",
            "line 3",
            "line 4",
        ]
        page = answer.content.decode()
        assert "The file has 3 problems" in page
        assert "It was read as “Table (csv)”" in page
        assert all(line.split('"')[0].strip() in page for line in problems)
        assert contents() == before

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (GOOD.replace("text\n", "txt\n"), "text"),
            (GOOD.encode("utf-16"), "UTF-16"),
            (GOOD.encode() + b"The sea,positive,b,\xff\xfe\n", "UTF-8"),
            (GOOD + GOOD.splitlines()[1] + "\n", "line 3"),
            (GOOD + f"The sea,positive,b,{'x' * 30_000}\n", "line 3"),
        ],
        ids=["missing column", "UTF-16", "not UTF-8", "duplicate row", "long text"],
    )
    def test_it_says_what_is_wrong_and_leaves_the_database_alone(
        self, client, study, content, said
    ):
        before = contents()
        answer = upload(client, content)
        assert answer.status_code == 400
        assert any(said in line for line in answer.context["problems"])
        assert contents() == before

    def test_a_hostile_cell_is_shown_as_text(self, client, study):
        page = upload(client, GOOD.replace("positive", "<img src=x>")).content.decode()
        assert "<img" not in page

    def test_a_file_that_is_too_large_is_refused_with_a_sentence(
        self, client, study, settings
    ):
        settings.UPLOAD_MAX_BYTES = 1024 * 1024
        before = contents()
        answer = upload(client, b"x" * (2 * 1024 * 1024))
        assert answer.status_code == 400
        assert "larger than 1 MB, the most taken" in answer.content.decode()
        assert list(answer.context["form"].errors) == ["file"]
        assert contents() == before

    def test_an_empty_or_missing_file_is_said_at_the_field(self, client, study):
        assert upload(client, "").context["form"].errors["file"]
        answer = client.post("/studies/ferry/import/", {"format": "csv"})
        assert answer.context["form"].errors["file"]

    def test_an_open_study_takes_no_more_texts(self, client, study):
        study.state = Study.State.OPEN
        study.save()
        assert upload(client, GOOD).status_code == 400
        assert study.generations.count() == 0
        page = client.get("/studies/ferry/import/").content.decode()
        assert "pause it to add texts" in page

    def test_texts_can_be_cut_as_in_the_paper(self, client, study):
        text = "One two three. Four five six."
        upload(client, GOOD.replace("The sea shone.", text), cut=4)
        assert study.generations.get().text == "One two three."


class TestNewStudy:
    url = "/studies/new/"
    fields = {
        "name": "lake",
        "title": "Short texts",
        "ratings_per_text": 3,
        "scale_min": 1,
        "scale_max": 7,
        "format": "csv",
    }

    def test_a_name_that_is_taken_is_said_at_the_field(self, client, make_study):
        make_study(name="lake")
        answer = client.post(self.url, self.fields)
        assert answer.status_code == 400
        assert "is taken" in answer.context["form"].errors["name"][0]
        assert "The file has" not in answer.content.decode()

    def test_without_a_file_it_makes_an_empty_draft(self, client, alice):
        answer = client.post(self.url, self.fields)
        study = Study.objects.get()
        assert answer["Location"] == study.get_absolute_url()
        assert (study.owner, study.scale_max, study.ratings_per_text) == (alice, 7, 3)
        assert study.aspects.count() == 3
        assert study.current_policy().version == 1

    def test_with_a_file_its_aspects_come_from_the_file(self, client, alice):
        upload(client, RATED, self.url, **self.fields)
        study = Study.objects.get()
        assert (study.owner, study.title, study.scale_max) == (alice, "Short texts", 7)
        assert [aspect.key for aspect in study.aspects.all()] == [
            "coherence",
            "overall",
        ]

    def test_a_bad_file_makes_no_study(self, client):
        answer = upload(client, BAD, self.url, **{**self.fields, "scale_max": 5})
        assert answer.status_code == 400
        assert Study.objects.count() == 0
        assert answer.context["form"]["name"].value() == "lake"

    def test_a_file_that_is_too_large_does_not_leave_an_empty_study(
        self, client, settings
    ):
        settings.UPLOAD_MAX_BYTES = 1024
        upload(client, b"x" * 4096, self.url, **self.fields)
        assert Study.objects.count() == 0

    @pytest.mark.parametrize("name", ["ferry", "new", "two words", "", "ü", "a\n"])
    def test_a_name_that_will_not_do_is_refused(self, client, study, name):
        answer = client.post(self.url, {**self.fields, "name": name})
        if name == "a\n":  # a browser's stray line end is no part of the name
            assert Study.objects.filter(name="a").exists()
        else:
            assert answer.status_code == 400
            assert Study.objects.get() == study

    def test_the_scale_must_go_up(self, client):
        answer = client.post(self.url, {**self.fields, "scale_max": 1})
        assert answer.context["form"].errors["scale_max"] == ["The scale must go up."]


class TestFormats:
    @pytest.mark.parametrize("name", imports.FORMATS)
    def test_each_format_is_documented_with_a_sample_that_can_be_imported(
        self, client, study, name
    ):
        format = imports.FORMATS[name]
        page = client.get("/studies/ferry/import/").content.decode()
        assert format.help.splitlines()[0] in page
        sample = format.sample_file
        assert sample in page
        content = Path(finders.find(sample)).read_bytes()
        data = {**TestNewStudy.fields, "scale_max": 5, "format": name}
        answer = upload(client, content, "/studies/new/", **data)
        assert answer.context.get("problems", []) == []
        assert Study.objects.get(name="lake").generations.exists()

    def test_the_first_sample_makes_a_study_that_can_open(self, client):
        content = Path(finders.find("samples/sample.csv")).read_bytes()
        upload(client, content, "/studies/new/", **{**TestNewStudy.fields})
        client.post("/studies/lake/open/")
        study = Study.objects.get()
        assert (study.state, study.surveys.count()) == (Study.State.OPEN, 6)
