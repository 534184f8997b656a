"""`manage.py replaces`: may a metric replace a rater, from a terminal."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.django_db


def said(*given: str) -> str:
    out = StringIO()
    call_command("replaces", *given, stdout=out)
    return out.getvalue()


@pytest.fixture
def study(make_study):
    """A metric on the scale that follows quality, and three raters who do."""
    study = make_study(prompts=30, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(1, 6, size=120)
    noisy = np.clip(quality[:, np.newaxis] + rng.integers(-1, 2, size=(120, 3)), 1, 5)
    rate(study, "coherence", noisy.tolist())
    score(study, COHERENCE, [float(q) for q in quality])
    return study


def test_it_says_the_sentence_and_the_table(study):
    text = said("ferry")
    assert text.startswith(
        "This study cannot tell whether judge: Coherence may replace a crowdworker for"
        " coherence. The alternative annotator test needs at least 3 named raters, and"
        " none could be tested."
    )
    assert "word count" in text.lower()


def test_json_is_a_list_of_metrics_and_trivial_predictors(study):
    found = json.loads(said("ferry", "--json"))
    first = found[0]
    assert first["metric"] == "judge: Coherence"
    assert first["signature"] and first["aspect"] == "coherence"
    assert (first["epsilon"], first["n_raters"]) == (0.1, 3)
    assert first["winning_rate"] == first["clustered"]["winning_rate"] == 1
    assert 0.5 < first["clustered"]["low"] < first["advantage_probability"] <= 1
    assert first["clustered"]["methods"] and first["verdict"] == "open"
    trivial = [one for one in found if one["trivial"]]
    assert len(trivial) == 6 and not any(one["signature"] for one in trivial)


def test_epsilon_and_closeness_are_chosen(study):
    found = json.loads(said("ferry", "--json", "--epsilon", ".2"))
    other = json.loads(said("ferry", "--json", "--closeness", "equal"))
    assert {one["epsilon"] for one in found} == {0.2}
    assert {one["closeness"] for one in other} == {"equal"}


@pytest.mark.parametrize("given", ["2", "-0.1", "ten", "nan"])
def test_an_epsilon_that_is_no_share_is_refused(study, given):
    with pytest.raises(CommandError, match="expected a number from 0 to 1, got"):
        said("ferry", f"--epsilon={given}")


def test_a_study_without_ratings_is_told_what_is_missing(make_study):
    make_study()
    with pytest.raises(CommandError, match="No ratings yet"):
        said("ferry")


def test_an_unknown_study_is_said():
    with pytest.raises(CommandError, match="no study named 'lake'"):
        said("lake")
