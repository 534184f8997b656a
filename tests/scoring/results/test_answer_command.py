"""`manage.py answer`: the sentence and its numbers, from a terminal."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.django_db


def answered(*given: str) -> str:
    out = StringIO()
    call_command("answer", *given, stdout=out)
    return out.getvalue()


@pytest.fixture
def study(make_study):
    """Forty texts of ten prompts, two ratings each, and a metric that follows them."""
    study = make_study(prompts=10, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 5, size=40)
    ratings = [[int(q + d) for d in rng.integers(-1, 2, size=2)] for q in quality]
    rate(study, "coherence", ratings)
    score(study, COHERENCE, [float(q) for q in quality])
    return study


def test_it_says_the_sentence_and_the_table(study):
    said = answered("ferry")
    assert said.startswith("Judge: Coherence beats every simple guess on coherence;")
    assert "Verdict" in said


def test_json_has_the_numbers_behind_it(study):
    found = json.loads(answered("ferry", "--json"))
    one = found["aspects"][0]
    assert one["sentence"] in answered("ferry")
    assert [row["output"]["key"] for row in one["rows"]] == ["coherence"]
    assert found["rules"]["keeps"] == 0.85


def test_another_coefficient_may_be_asked_for(study):
    found = json.loads(answered("ferry", "--json", "--coefficient", "kendall"))
    assert found["coefficient"] == "kendall"


def test_a_study_without_ratings_is_told_what_is_missing(make_study):
    make_study()
    with pytest.raises(CommandError, match="No ratings yet"):
        answered("ferry")


def test_a_study_without_scores_is_told_what_is_missing(make_study):
    rate(make_study(), "coherence", [[1, 2], [3, 4]])
    with pytest.raises(CommandError, match="No metric scores yet"):
        answered("ferry")


def test_an_unknown_study_is_said():
    with pytest.raises(CommandError, match="no study named 'lake'"):
        answered("lake")
