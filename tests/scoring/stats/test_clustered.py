"""Shares of few texts that share prompts."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats import proportion

from scoring.stats import clustered
from scoring.stats.estimates import Estimate


@pytest.mark.parametrize("k", [0, 1, 6, 11, 12])
def test_of_single_texts_a_share_has_the_interval_of_wilson(k: int) -> None:
    points = (np.arange(12) < k).astype(float)
    found = clustered.share(points, np.arange(12))
    ends = proportion.proportion_confint(k, 12, method="wilson")
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)


def test_texts_of_one_prompt_that_are_alike_count_as_one() -> None:
    points = np.array([1.0, 1, 0, 1, 0, 1, 1, 0])
    once = clustered.share(points, np.arange(8))
    thrice = clustered.share(np.repeat(points, 3), np.repeat(np.arange(8), 3))
    assert thrice.value == once.value
    assert thrice.low == pytest.approx(once.low, abs=0.05)
    assert thrice.low <= once.low and thrice.high >= once.high


def test_ties_count_half_and_never_more_than_one_text() -> None:
    found = clustered.share(np.full(10, 0.5), np.arange(10))
    ends = proportion.proportion_confint(5, 10, method="wilson")
    assert (found.value, found.low, found.high) == pytest.approx((0.5, *ends))


def test_what_is_missing_is_left_out() -> None:
    values = np.array([1, 0, np.nan, 1, 1, np.nan])
    unit = np.array([0, 1, 1, 2, 3, 4])
    kept = ~np.isnan(values)
    assert clustered.share(values, unit) == clustered.share(values[kept], unit[kept])
    assert clustered.share(values, unit).n == 4


def test_without_values_there_is_the_reason_given() -> None:
    found = clustered.share(np.array([np.nan]), np.array([1]), reason="not scored")
    assert found == Estimate(None, n=0, reason="not scored")


def test_two_prompts_are_too_few_for_an_interval() -> None:
    found = clustered.share(np.array([1, 0, 1, 1.0]), np.array([7, 7, 9, 9]))
    assert found == Estimate(0.75, n=4, reason="an interval needs 3 prompts")


def test_units_must_be_as_many_as_values() -> None:
    with pytest.raises(ValueError, match="one length"):
        clustered.share(np.ones(3), np.ones(2))


@pytest.mark.parametrize(
    ("units", "each", "p"), [(4, 1, 0.8), (12, 1, 0.9), (8, 3, 0.7)]
)
def test_the_interval_of_a_share_covers(units: int, each: int, p: float) -> None:
    """Prompts differ in how easy their damage is to see; 300 studies each."""
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(units), each)
    hits = 0
    for _ in range(300):
        own = rng.beta(4 * p, 4 * (1 - p), size=units)
        found = clustered.share((rng.random(len(unit)) < own[unit]) * 1.0, unit)
        hits += found.low <= p <= found.high
    assert 0.92 <= hits / 300 <= 1


def test_p_of_a_share_is_below_alpha_where_its_interval_leaves_out_a_half() -> None:
    prompt = np.repeat(np.arange(10), 3)
    for k in range(31):
        points = (np.arange(30) < k).astype(float)
        found, p = clustered.share(points, prompt), clustered.p_of_share(points, prompt)
        assert (p < 0.05) == (found.low > 0.5 or found.high < 0.5)


def test_p_of_a_share_of_single_texts_is_that_of_the_score_test() -> None:
    points = (np.arange(40) < 28).astype(float)
    p = clustered.p_of_share(points, np.arange(40))
    known = proportion.proportions_ztest(28, 40, 0.5, prop_var=0.5)[1]
    assert p == pytest.approx(known)
    assert clustered.p_of_share(points[:2], np.arange(2)) is None
