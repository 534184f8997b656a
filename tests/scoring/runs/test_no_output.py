"""A system that gives no output gains nothing by it: its empty texts are scored."""

from __future__ import annotations

import io

import pytest
from sacrebleu.metrics import BLEU

from annotation import imports
from annotation.models import Study
from scoring import runs
from scoring.models import Score, SystemScore
from tests.scoring.working import work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

GOOD = "The lake was very cold this morning."
OTHER = "The sea was warm and blue today."


@pytest.fixture
def study() -> Study:
    """Two systems that write the references; one of them fails once."""
    lines = (
        "prefix,label,system,text,reference\n"
        f"The lake,,a,{GOOD},{GOOD}\nThe sea,,a,{OTHER},{OTHER}\n"
        f"The lake,,b,,{GOOD}\nThe sea,,b,{OTHER},{OTHER}\n"
    )
    made = imports.run(
        study_name="lake",
        format="csv",
        file=io.BytesIO(lines.encode()),
        file_name="texts.csv",
        owner=None,
    )
    return made.study


def test_a_reference_metric_gives_the_empty_text_0(study):
    run = runs.start(study=study, metric="bleu", options={})
    work(run)
    empty = Score.objects.get(generation__text="")
    assert (empty.value, empty.reason) == (0, "")


def test_a_corpus_metric_counts_the_empty_text(study):
    run = runs.start(study=study, metric="corpus_bleu", options={})
    work(run)
    found = SystemScore.objects.filter(output="corpus_bleu")
    by_system = dict(found.values_list("system__name", "value"))
    expected = BLEU().corpus_score(["", OTHER], [[GOOD, OTHER]]).score
    assert by_system == {"a": pytest.approx(100), "b": pytest.approx(expected)}
    assert expected < 60


def test_a_metric_that_needs_words_says_why_it_has_no_score(study):
    run = runs.start(study=study, metric="distinct", options={})
    work(run)
    empty = Score.objects.filter(generation__text="")
    assert set(empty.values_list("value", flat=True)) == {None}
    assert all(empty.values_list("reason", flat=True))
