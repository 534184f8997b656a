"""Damaged texts beside their undamaged sources."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats import damage


def test_who_is_lower_gets_a_point_and_a_tie_half() -> None:
    differences = np.array([-1, -1e-9, 0, 1e-9, 2, np.nan])
    exact, rounded = damage.lower(differences), damage.lower(differences, 1e-6)
    assert exact.tolist()[:-1] == [1, 1, 0.5, 0, 0] and np.isnan(exact[-1])
    assert rounded.tolist()[:-1] == [1, 0.5, 0.5, 0.5, 0] and np.isnan(rounded[-1])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 3.0], np.sqrt(2)),
        ([1.0, 3.0, np.nan], np.sqrt(2)),
        ([2.0, 2.0, 2.0], None),
        ([0.1 + 0.2, 0.3, 0.3], None),  # differ by rounding only
        ([1.0], None),
        ([np.nan, np.nan], None),
        ([], None),
    ],
)
def test_the_spread_is_a_standard_deviation(scores, expected) -> None:
    found = damage.spread(np.array(scores, float))
    assert found == (expected if expected is None else pytest.approx(expected))


def looped(unit, rater, value, of_unit, of_rater, of_value) -> list[float]:
    found = []
    for u, r, v in zip(unit, rater, value, strict=True):
        others = [
            x
            for w, q, x in zip(of_unit, of_rater, of_value, strict=True)
            if w == u and (q != r or not r)
        ]
        found.append(v - np.mean(others) if others else np.nan)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_rating_is_compared_with_those_of_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = np.array(["ann", "ben", "cleo", ""])
    unit, of_unit = rng.integers(6, size=25), rng.integers(5, size=18)
    rater, of_rater = names[rng.integers(4, size=25)], names[rng.integers(4, size=18)]
    value, of_value = rng.integers(1, 6, size=25), rng.integers(1, 6, size=18)
    given = {"of_unit": of_unit, "of_rater": of_rater, "of_value": of_value}
    found = damage.above_others(unit, rater, value, **given)
    np.testing.assert_allclose(found, looped(unit, rater, value, *given.values()))


def test_where_nobody_has_rated_there_is_no_difference() -> None:
    none = np.zeros(0, int)
    given = {"of_unit": none, "of_rater": np.zeros(0, "U1"), "of_value": none}
    found = damage.above_others(
        np.array([3]), np.array(["ann"]), np.array([2]), **given
    )
    assert np.isnan(found).all()
    empty = damage.above_others(none, np.zeros(0, "U1"), none, **given)
    assert empty.shape == (0,)
