"""What a study brings along for a metric."""

from __future__ import annotations

import dataclasses
import json

import pytest

from scoring import runs
from scoring.evaluators import tables as evaluator_tables
from scoring.metrics import ctrleval_tables
from scoring.metrics._engine.base import option
from scoring.models import EvaluatorTable
from tests.annotation.seating import in_threads

MOOD = {
    "labels": ["sad", "glad"],
    "prompts": ["<gen_result> I am <mask_token>."],
    "words": [["unhappy", "happy"]],
}


@dataclasses.dataclass(frozen=True)
class Filled:
    letter: str = option("e", "which letter")
    tables: str = option("", "own evaluators", fill="evaluators")
    aspects: str = option("", "what to ask", fill="aspects")


@pytest.fixture
def kind(extra, monkeypatch):
    monkeypatch.setattr(extra.Letters, "Options", Filled)
    return extra.Letters


@pytest.fixture
def study(make_study):
    return make_study(scale_max=7, aspects=("coherence", "toxicity"))


def bring(study, name="mood"):
    return EvaluatorTable.objects.create(study=study, name=name, **MOOD)


class TestFilled:
    def fill(self, study, kind, **options):
        return evaluator_tables.filled(study=study, kind=kind, options=options)

    def test_open_options_get_the_study_s_tables_and_aspects(self, study, kind):
        bring(study)
        study.aspects.filter(key="toxicity").update(higher_is_better=False)
        found = self.fill(study, kind, letter="a")
        assert found["letter"] == "a"
        assert json.loads(found["tables"]) == {"mood": MOOD}
        assert json.loads(found["aspects"]) == [
            {
                "key": key,
                "question": f"How good is the {key}?",
                "low": 1,
                "high": 7,
                "higher_is_better": key != "toxicity",
                "words": {"1": "poor", "4": "fair", "7": "excellent"},
            }
            for key in ("coherence", "toxicity")
        ]

    @pytest.mark.parametrize(
        ("language", "question"),
        [("en", "Is it “{label}”?"), ("de", "Is it „{label}“?")],
    )
    def test_a_question_keeps_the_place_of_the_label(
        self, study, kind, language, question
    ):
        """With the quotes that people see, whoever starts the run."""
        study.aspects.update(question="Is it {label}?")
        study.language = language
        asked = json.loads(self.fill(study, kind)["aspects"])
        assert asked[0]["question"] == question

    def test_what_was_written_stays(self, study, kind):
        bring(study)
        found = self.fill(study, kind, tables="{}", aspects="my own")
        assert found == {"tables": "{}", "aspects": "my own"}

    def test_blanks_count_as_left_open(self, study, kind):
        assert "coherence" in self.fill(study, kind, aspects=" ")["aspects"]

    def test_a_study_without_tables_leaves_the_option_as_it_is(self, study, kind):
        assert "tables" not in self.fill(study, kind)

    def test_a_metric_that_takes_nothing_gets_nothing(self, study, extra):
        bring(study)
        assert self.fill(study, extra.Letters, letter="a") == {"letter": "a"}


@pytest.mark.usefixtures("sent")
def test_a_run_keeps_its_own_copy(study, kind):
    table = bring(study)
    run = runs.start(study=study, metric="letters", options={})
    table.delete()
    run.refresh_from_db()
    assert json.loads(run.options["tables"]) == {"mood": MOOD}
    assert "coherence" in run.options["aspects"]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_a_name_at_once_one_is_told_that_it_is_taken(study) -> None:
    table = ctrleval_tables.tables_from_json(json.dumps({"mood": MOOD}))["mood"]

    def save(number: int) -> str:
        try:
            evaluator_tables.save(study=study, name="mood", table=table)
        except ctrleval_tables.TableError as error:
            return str(error)
        return "saved"

    found = in_threads(4, save)
    assert found.count("saved") == 1 == study.evaluator_tables.count()
    assert sum("already" in told for told in found) == 3
