"""The pages of a study's own evaluators."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from scoring.evaluators.forms import EvaluatorsForm, with_tabs, written
from scoring.evaluators.previews import preview
from scoring.metrics._ctrleval.tables import SENTIMENT, TABLES
from scoring.models import EvaluatorTable
from tests.pages.working import leads_up

pytestmark = pytest.mark.usefixtures("study", "as_alice")

URL = "/studies/ferry/metrics/evaluators/"
MOOD = {
    "labels": ["negative", "positive"],
    "prompts": ["<gen_result> I am <mask_token>.", "<mask_token>: <gen_result>"],
    "words": [["sad", "glad"], ["blue", "merry"]],
}
FORM = {
    "name": "mood",
    "prompts": "\n".join(MOOD["prompts"]),
    "verbalizers": "negative, positive\nsad, glad\nblue, merry",
}


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def table(study):
    return EvaluatorTable.objects.create(study=study, name="mood", **MOOD)


def page(client, url=URL):
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def kept():
    rows = EvaluatorTable.objects.values("name", "labels", "prompts", "words")
    return {row.pop("name"): row for row in rows}


def file(text):
    content = text if isinstance(text, bytes) else text.encode()
    return SimpleUploadedFile("a.txt", content)


class TestList:
    def test_an_empty_study_gets_the_first_step(self, client):
        shown = page(client)
        assert "No evaluators of your own yet" in shown
        assert f'href="{URL}new/?from=sentiment"' in shown

    def test_it_shows_each_table_with_its_size(self, client, table):
        shown = page(client)
        assert f'<a href="{URL}{table.pk}/">mood</a>' in shown
        assert "<td>negative, positive</td>" in shown
        assert '<td class="number">4</td>' in shown
        assert "Each run keeps its own copy" in shown

    def test_it_says_which_labels_have_none(self, client, study):
        study.labels.create(name="weird")
        shown = page(client)
        assert "attribute relevance is undefined" in shown
        assert "sentiment, as in the paper" in shown

    def test_the_paper_s_are_counted_as_in_its_table_2(self, client):
        cells = '<td class="number">{}</td>'
        shown = "".join(page(client).split())
        for counts in ((24, 3, 72), (32, 1, 32)):
            row = "".join(cells.format(n) for n in counts)
            assert "".join(row.split()) in shown

    def test_all_tables_are_one_file(self, client, table):
        answer = client.get(URL.rstrip("/") + ".json")
        assert json.loads(answer.content) == {"mood": MOOD}
        assert "ferry-evaluators.json" in answer["Content-Disposition"]

    def test_the_metrics_page_leads_here(self, client):
        assert f'href="{URL}"' in page(client, "/studies/ferry/metrics/")


class TestWrite:
    def test_a_form_becomes_a_table(self, client):
        answer = client.post(f"{URL}new/", FORM)
        assert kept() == {"mood": MOOD}
        assert answer.url == f"{URL}{EvaluatorTable.objects.get().pk}/"

    @pytest.mark.parametrize("name", TABLES)
    def test_it_begins_with_the_paper_s(self, client, name):
        form = client.get(f"{URL}new/?from={name}").context["form"]
        again = EvaluatorsForm({**form.initial, "name": "mine"})
        assert again.is_valid()
        assert again.table == TABLES[name]

    def test_every_problem_stands_beside_its_field(self, client):
        wrong = {
            "name": "sentiment",
            "prompts": "<gen_result> no gap\n<mask_token> no text",
            "verbalizers": "negative, positive\nsad\nblue, merry, odd",
        }
        answer = client.post(f"{URL}new/", wrong)
        assert answer.status_code == 400
        errors = answer.context["form"].errors
        assert len(errors["prompts"]) == 2
        assert len(errors["verbalizers"]) == 2
        assert "is taken by the evaluators of the paper" in errors["name"][0]
        assert kept() == {}

    def test_a_name_of_the_study_s_own_is_taken(self, client, table):
        answer = client.post(f"{URL}new/", FORM)
        assert "already" in answer.context["form"].errors["name"][0]
        assert len(kept()) == 1

    def test_what_was_typed_stays(self, client):
        answer = client.post(f"{URL}new/", {**FORM, "prompts": "no <script>"})
        assert "no &lt;script&gt;" in answer.content.decode()


class TestEdit:
    def test_it_shows_what_is_there(self, client, table):
        form = client.get(f"{URL}{table.pk}/").context["form"]
        assert form.initial == FORM

    def test_it_changes_the_table(self, client, table):
        client.post(f"{URL}{table.pk}/", {**FORM, "name": "tone"})
        assert list(kept()) == ["tone"]
        client.post(f"{URL}{table.pk}/", {**FORM, "name": "tone", "prompts": "x"})
        assert kept()["tone"] == MOOD

    def test_it_previews_what_the_model_is_asked(self, client, table, study):
        shown = page(client, f"{URL}{table.pk}/")
        assert "4 evaluators" in shown
        assert "I am <mark" in shown
        assert 'data-label="Target">glad</td>' in shown
        other = study.generations.filter(prompt__label__name="negative").first()
        shown = page(client, f"{URL}{table.pk}/?key={other.key}")
        assert 'data-label="Target">sad</td>' in shown

    def test_labels_that_no_text_has_are_named(self, client, study):
        table = EvaluatorTable.objects.create(
            study=study, name="far", **{**MOOD, "labels": ["up", "down"]}
        )
        shown = page(client, f"{URL}{table.pk}/")
        assert "No text of this study has one of the labels up, down" in shown

    def test_it_goes_away_when_told_to(self, client, table):
        assert client.post(f"{URL}{table.pk}/delete/").url == URL
        assert kept() == {}

    def test_reading_the_address_deletes_nothing(self, client, table):
        assert leads_up(client.get(f"{URL}{table.pk}/delete/"))
        assert kept()


class TestUpload:
    def files(self, client, name="mood", verbalizers="negative\tpositive\nsad\tglad"):
        fields = {
            "name": name,
            "prompts": file("\n".join(MOOD["prompts"])),
            "verbalizers": file(verbalizers),
        }
        return client.post(f"{URL}upload/files/", fields)

    def json(self, client, content):
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        return client.post(f"{URL}upload/json/", {"json": file(text)})

    def test_two_files_of_the_released_code(self, client):
        answer = self.files(client)
        assert answer.url == f"{URL}{EvaluatorTable.objects.get().pk}/"
        assert kept()["mood"] == {**MOOD, "words": [["sad", "glad"]]}

    def test_one_json_file_with_several(self, client):
        assert self.json(client, {"mood": MOOD, "tone": MOOD}).url == URL
        assert kept() == {"mood": MOOD, "tone": MOOD}

    def test_nothing_is_half_written(self, client, table):
        answer = self.json(client, {"tone": MOOD, "mood": MOOD})
        assert "already has evaluators named mood" in answer.content.decode()
        assert (
            "already has evaluators named mood" in self.files(client).content.decode()
        )
        assert list(kept()) == ["mood"]

    def test_all_problems_are_told_at_once(self, client):
        answer = self.json(client, {"a": {**MOOD, "prompts": ["x"]}, "auto": MOOD})
        assert answer.status_code == 400
        assert len(answer.context["problems"]) == 3
        answer = self.files(client, verbalizers="negative\tpositive\nsad\na\tb\tc")
        assert len(answer.context["problems"]) == 2
        assert kept() == {}

    @pytest.mark.parametrize("text", [b"\xff\xfe", "nonsense"])
    def test_a_file_that_will_not_do_is_said(self, client, text):
        answer = self.json(client, text)
        assert answer.status_code == 400
        said = answer.content.decode()
        assert "is not UTF-8 text" in said or "Not JSON" in said

    def test_a_missing_file_stands_beside_its_field(self, client):
        answer = client.post(f"{URL}upload/files/", {"name": "mood"})
        assert list(answer.context["files"].errors) == ["prompts", "verbalizers"]

    def test_a_file_that_is_too_large_is_said(self, client, settings):
        settings.UPLOAD_MAX_BYTES = 10
        assert "larger than" in self.files(client).content.decode()
        assert kept() == {}


class TestStrangers:
    def test_they_get_404(self, client, bob, table):
        client.force_login(bob)
        for url in (URL, f"{URL}new/", f"{URL}{table.pk}/", f"{URL[:-1]}.json"):
            assert client.get(url).status_code == 404
        for url in (f"{URL}upload/json/", f"{URL}new/", f"{URL}{table.pk}/delete/"):
            assert client.post(url, FORM).status_code == 404
        assert list(kept()) == ["mood"]

    def test_a_table_of_another_study_is_not_found(self, client, make_study):
        other = EvaluatorTable.objects.create(
            study=make_study(name="other"), name="x", **MOOD
        )
        assert client.get(f"{URL}{other.pk}/").status_code == 404
        assert client.post(f"{URL}{other.pk}/delete/").status_code == 404


class TestWordsOfTheLabels:
    @pytest.fixture(autouse=True)
    def labels(self, study):
        study.prompts.update(label=None)
        study.labels.all().delete()
        study.labels.create(name="calm", verbalizers=["quiet", "still"])
        study.labels.create(name="stormy", verbalizers=["wild", "rough", "loud"])

    def test_become_evaluators_by_one_press(self, client):
        assert "Use the prompts of sentiment" in page(client)
        client.post(f"{URL}labels/", {"prompts": "sentiment"})
        made = kept()["own-words-sentiment"]
        assert made["labels"] == ["calm", "stormy"]
        assert made["words"] == [["quiet", "wild"], ["still", "rough"]]
        assert made["prompts"] == list(SENTIMENT.prompts)
        shown = page(client)
        assert "Use the prompts of sentiment" not in shown
        assert "Use the prompts of topic" in shown

    def test_are_what_attribute_relevance_then_asks(self, client, study):
        client.post(f"{URL}labels/", {"prompts": "topic"})
        prompt = study.prompts.first()
        prompt.label = study.labels.get(name="stormy")
        prompt.save()
        table = EvaluatorTable.objects.get()
        asked = preview(table=table, generation=prompt.generations.first())
        assert {"wild", "rough"} <= {target.strip() for _, target in asked}

    def test_of_one_label_alone_are_not_enough(self, client, study):
        study.labels.filter(name="calm").update(verbalizers=[])
        assert "Use the prompts" not in page(client)
        answer = client.post(f"{URL}labels/", {"prompts": "topic"})
        assert answer.status_code == 400
        assert "wer than two labels of this study" in answer.content.decode()

    def test_that_the_paper_s_table_has_are_not_offered(self, client, study):
        study.prompts.update(label=None)
        study.labels.all().delete()
        for k, name in enumerate(("positive", "negative")):
            words = [row[1 - k] for row in SENTIMENT.words]
            study.labels.create(name=name, verbalizers=words)
        shown = page(client)
        assert "Use the prompts of sentiment" not in shown


def test_commas_stand_for_tabs_unless_there_are_tabs():
    assert with_tabs("a, b\nc ,d") == "a\tb\nc\td"
    assert with_tabs("a, b\tc") == "a, b\tc"


def test_a_table_survives_the_form():
    form = EvaluatorsForm(written("mine", SENTIMENT))
    assert form.is_valid()
    assert form.table == SENTIMENT


class TestPatternsWithTwoSides:
    FORM = {
        "name": "keywords",
        "control": "keywords",
        "patterns": "<gen_result> Keywords: <mask_token> => <control>",
    }

    def save(self, client, **changes):
        return client.post(URL + "patterns/", {**self.FORM, **changes}, follow=True)

    def test_a_form_becomes_a_table(self, client):
        self.save(client)
        table = EvaluatorTable.objects.get()
        assert table.control == "keywords" and table.n_evaluators == 1
        assert table.patterns == [["<gen_result> Keywords: <mask_token>", "<control>"]]

    def test_the_page_says_what_each_name_stands_for(self, client):
        shown = page(client, URL + "patterns/")
        assert (
            "&lt;continuation&gt;" in shown and "the text without its prefix" in shown
        )

    def test_every_problem_stands_beside_its_field(self, client):
        answer = self.save(client, patterns="<gen_result> => <control>")
        assert answer.status_code == 400
        assert "expected once, where the gap goes" in answer.content.decode()

    def test_it_previews_what_the_model_is_asked(self, client, study):
        label = study.generations.first().prompt.label
        self.save(client, name="label", control="")
        shown = page(client, f"{URL}{EvaluatorTable.objects.get().pk}/")
        assert "Keywords: " in shown and f">{label.name}</td>" in shown

    def test_without_a_text_that_has_the_control_it_says_so(self, client):
        shown = self.save(client).content.decode()
        assert "None of the first texts of this study has everything" in shown

    def test_it_is_changed_in_the_same_form(self, client):
        self.save(client)
        url = f"{URL}{EvaluatorTable.objects.get().pk}/"
        client.post(url, {**self.FORM, "control": ""})
        assert EvaluatorTable.objects.get().control == ""

    def test_two_names_of_one_output_do_not_go(self, client):
        self.save(client)
        answer = self.save(client, name="KEYWORDS")
        assert "differ only in case or marks" in answer.content.decode()

    def test_the_list_and_the_file_have_it(self, client):
        self.save(client)
        assert "patterns with two sides" in page(client)
        assert json.loads(page(client, URL[:-1] + ".json"))["keywords"]["patterns"]
