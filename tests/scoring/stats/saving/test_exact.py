"""Bounds where the metric hardly ever differs from people."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from scoring.stats.saving import exact

ONE = np.array([1.0])


def judged(rating: list[float], expected: list[float], *, scale=(0, 1), system=None):
    zeros = np.zeros(len(rating), int)
    systems = zeros if system is None else np.array(system)
    of = np.array(rating, float), np.array(expected, float)
    return exact.judged(*of, systems, zeros, scale, int(systems.max()) + 1)


def half(n: int, *, wrong: int = 0) -> exact.Judged:
    """2n texts, half of them rated; the metric says 0 of all, people 1 of some."""
    ratings = [1.0] * wrong + [0.0] * (n - wrong) + [np.nan] * n
    return judged(ratings, [0.0] * 2 * n)


@pytest.mark.parametrize("wrong", [0, 1, 3])
def test_others_are_as_many_as_the_hypergeometric_distribution_allows(wrong):
    found = exact.bounds(half(20, wrong=wrong), ONE, 0.95)
    most = max(
        k for k in range(wrong, wrong + 21) if hypergeom.cdf(wrong, 40, k, 20) > 0.025
    )
    assert found.high == pytest.approx(most / 40)
    assert found.low == pytest.approx(
        wrong / 40
    )  # none can lie below the lowest answer
    assert found.value == pytest.approx(wrong / 20)


def test_where_all_texts_are_rated_nothing_is_open():
    found = exact.bounds(judged([0, 1, 1], [0, 0, 1]), ONE, 0.95)
    assert found == pytest.approx((2 / 3, 2 / 3, 2 / 3))


def test_scores_between_ratings_count_as_the_nearer_one():
    found = judged([0, 1, np.nan], [0.1, 0.8, 0.6])
    assert found.cells[0].above == found.cells[0].below == 0
    assert found.mean == pytest.approx([2 / 3])


def test_a_difference_has_the_limits_of_both_systems():
    ratings = [0.0] * 20 + [np.nan] * 20
    both = judged(ratings * 2, [0.0] * 80, system=np.repeat([0, 1], 40))
    found = exact.bounds(both, np.array([1.0, -1.0]), 0.95)
    alone = exact.bounds(half(20), ONE, 0.975)  # each at half of alpha
    assert (found.low, found.high) == pytest.approx((-alone.high, alone.high))
    assert exact.p(both, np.array([1.0, -1.0])) == pytest.approx(1.0, abs=1e-3)


def test_p_is_where_the_interval_begins_to_hold_nothing():
    ratings = [0.0] * 10 + [np.nan] * 20 + [1.0] * 10 + [np.nan] * 20
    found = judged(ratings, [0.0] * 30 + [1.0] * 30, system=np.repeat([0, 1], 30))
    row = np.array([1.0, -1.0])
    p = exact.p(found, row)
    assert exact.SMALLEST_P < p < 0.05
    assert exact.bounds(found, row, 1 - 1.01 * p).high < 0
    assert exact.bounds(found, row, 1 - 0.9 * p).high >= 0
