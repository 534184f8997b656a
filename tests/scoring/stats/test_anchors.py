"""Anchors asked again: few false alarms over all looks, and a drift that is found."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import stress_lab
from scoring.stats import anchors, cluster_t
from scoring.stats.correlation import pearson

N = 40
UNITS = np.arange(N)


# Studentized maximum modulus, alpha .05, infinite degrees of freedom (Stoline and Ury
# 1979, table 1; two decimals).
@pytest.mark.parametrize(
    ("looks", "published"),
    [(1, 1.96), (3, 2.39), (6, 2.63), (10, 2.80), (15, 2.93), (21, 3.03), (28, 3.12)],
)
def test_boundaries_are_those_of_the_published_table(looks, published) -> None:
    assert anchors.boundary(looks) == pytest.approx(published, abs=0.005)


def test_independent_looks_spend_exactly_the_error_rate() -> None:
    each = anchors.level_of_look(12, 0.04)
    assert 1 - (1 - each) ** 12 == pytest.approx(0.04)


@pytest.mark.parametrize(("looks", "alpha"), [(0, 0.05), (3, 0.0), (3, 1.0)])
def test_a_plan_that_is_none_is_refused(looks, alpha) -> None:
    with pytest.raises(ValueError, match="expected looks"):
        anchors.level_of_look(looks, alpha)


def judged(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.normal(3, 1, N)
    return human + rng.normal(0, 0.5, N), human


def test_a_judge_that_answers_the_same_has_not_drifted() -> None:
    first, human = judged(1)
    found = anchors.look(first, first, human, UNITS)
    assert (*found.mean.numbers, found.mean.reason) == (
        0.0,
        None,
        None,
        cluster_t.ALIKE,
    )
    assert found.agreement.value == 0.0
    assert not found.drifted


def test_a_judge_that_gives_one_point_more_everywhere_has_drifted() -> None:
    first, human = judged(1)
    found = anchors.look(np.round(first), np.round(first) + 1, human, UNITS)
    assert (found.mean.value, found.mean.low) == (1.0, None)
    assert found.drifted


def test_a_change_of_the_mean_is_found_and_told_with_its_interval() -> None:
    first, human = judged(2)
    now = first + 0.3 + np.random.default_rng(3).normal(0, 0.2, N)
    found = anchors.look(first, now, human, UNITS)
    assert found.drifted and found.mean.low > 0
    assert found.mean.low < 0.3 < found.mean.high


def test_a_judge_that_no_longer_agrees_with_people_is_found_at_the_same_mean() -> None:
    first, human = judged(4)
    now = np.random.default_rng(5).permutation(first)
    found = anchors.look(first, now, human, UNITS)
    assert found.mean.value == pytest.approx(0)
    assert found.agreement.high < 0 and found.drifted
    difference = pearson(now, human).value - pearson(first, human).value
    assert found.agreement.value == pytest.approx(difference)


def test_the_variance_of_a_change_of_agreement_is_that_of_many_samples() -> None:
    rng, found = np.random.default_rng(6), []
    for _ in range(200):
        human = rng.normal(0, 1, 150)
        first = human + rng.normal(0, 1, 150)
        now = human + rng.normal(0, 1, 150)
        found.append(anchors.look(first, now, human, np.arange(150)).agreement)
    value = np.array([one.value for one in found])
    assert abs(value.mean()) < 0.01
    # At the level of a look, and all the values have an interval of about one width.
    half = np.mean([one.high - one.low for one in found]) / 2
    z = anchors.boundary(anchors.LOOKS, anchors.ALPHA * (1 - anchors.FOR_MEAN))
    assert half / z == pytest.approx(value.std(), rel=0.15)


def test_anchors_that_lack_an_answer_are_left_out() -> None:
    first, human = judged(7)
    now = np.where(UNITS < 5, np.nan, first + 1)
    found = anchors.look(first, now, human, UNITS)
    assert found.mean.n == found.agreement.n == N - 5
    assert found.mean.value == pytest.approx(1)


def test_without_ratings_only_the_mean_is_tested() -> None:
    first, _ = judged(8)
    found = anchors.look(first, first + 1, np.full(N, np.nan), UNITS)
    assert found.agreement.value is None
    assert found.agreement.reason == anchors.FEW_RATED
    assert found.drifted


def test_without_any_answer_nothing_is_said() -> None:
    first, human = judged(9)
    found = anchors.look(first, np.full(N, np.nan), human, UNITS)
    assert found.mean.value is None and not found.drifted


# 1,000 simulations of each are in benchmarks/stress_lab.md.
@pytest.mark.slow
def test_a_drift_of_a_fifth_of_a_point_is_found_and_no_drift_is_not() -> None:
    rng = np.random.default_rng(11)
    still = [stress_lab.drifts(rng, 0.0) for _ in range(40)]
    assert np.any(still, axis=1).mean() <= 0.05
    # At the very look before which the judge changed.
    moved = [stress_lab.drifts(rng, 0.2, before=12)[11] for _ in range(40)]
    assert np.mean(moved) >= 0.95


def test_the_power_is_computed_before_anything_is_asked() -> None:
    assert anchors.power(0.2, 0.6, 200) > 0.95
    assert anchors.power(0.0, 0.6, 200) == pytest.approx(
        anchors.level_of_look(12, 0.04)
    )
    assert anchors.power(-0.2, 0.6, 200) == anchors.power(0.2, 0.6, 200)
    with pytest.raises(ValueError, match="two anchors"):
        anchors.power(0.2, 0.0, 200)
