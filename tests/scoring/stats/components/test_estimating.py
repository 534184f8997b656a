from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.components.estimating import ONE_EACH, estimate
from tests.scoring.stats.components.simulated import simulated


def rng():
    return np.random.default_rng(1)


def test_intervals_hold_the_truth():
    rated = simulated(prompts=60, texts=1)
    found = estimate(rated, rng=rng(), draws=200).components
    for effect, deviation in {"text": 0.6, "residual": 0.7}.items():
        of = found.estimate(effect)
        assert of.low < deviation**2 < of.high
        assert of.low < of.value < of.high


def test_nineteen_of_twenty_intervals_hold_the_truth():
    held = 0
    for seed in range(100):
        rated = simulated(seed=seed, prompts=40, raters=None, texts=1)
        of = estimate(rated, rng=rng(), draws=200).components.estimate("text")
        held += of.low <= 0.36 <= of.high
    assert 87 <= held <= 100


def test_an_effect_that_is_left_out_says_why():
    found = estimate(simulated(texts=1), rng=rng(), draws=20).components
    of = found.estimate("system x prompt")
    assert (of.value, of.reason) == (None, "the same as text here")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"systems": 1}, "fewer than two systems have ratings"),
        ({"prompts": 9}, "fewer than 10 prompts have ratings"),
        ({"each": 1}, ONE_EACH),
    ],
)
def test_too_little_to_estimate_from_is_told_so(changes, reason):
    assert estimate(simulated(**changes), rng=rng()).reason == reason


def test_missing_ratings_are_left_out():
    rated = simulated(prompts=12)
    value = rated.value.copy()
    value[:5] = np.nan
    found = estimate(rated._replace(value=value), rng=rng(), draws=0).components
    without = estimate(rated.only(np.arange(5, len(value))), rng=rng(), draws=0)
    assert found.of == without.components.of
    assert found.n["ratings"] == len(value) - 5


def test_equal_ratings_are_told_so():
    rated = simulated(prompts=12)
    rated = rated._replace(value=np.ones_like(rated.value))
    assert estimate(rated, rng=rng()).reason == "all ratings are equal"
