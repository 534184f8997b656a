import doctest
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import rater_numbers
from scoring.stats.rater_numbers import halves, needed
from scoring.stats.raters import spearman_brown


def rng(seed=0):
    return np.random.default_rng(seed)


def rated(n, m, noise=1.0, seed=0):
    """m ratings of n texts: unit, rater, value."""
    generator = rng(seed)
    unit = np.repeat(np.arange(n), m)
    value = generator.normal(size=n)[unit] + noise * generator.normal(size=n * m)
    return unit, np.tile(np.arange(m), n), value


def test_of_two_ratings_a_text_either_may_come_first():
    unit, rater, value = rated(9, 2)
    (found,) = halves(unit, rater, value, rng=rng(), repeats=400)
    pairs = value.reshape(9, 2)
    orders = [
        stats.pearsonr(*np.where(np.array(turned)[:, None], pairs[:, ::-1], pairs).T)
        for turned in product([False, True], repeat=9)
    ]
    every = [one.statistic for one in orders]
    assert (found.k, found.n, found.n_subsets) == (1, 9, 400)
    assert found.mean == pytest.approx(np.mean(every), abs=4 * np.std(every) / 20)
    assert found.std == pytest.approx(np.std(every), rel=0.15)


def test_without_noise_halves_are_the_same():
    for point in halves(*rated(30, 6, noise=0), rng=rng()):
        assert point.mean == pytest.approx(1)


def test_raters_who_are_alike_follow_spearman_and_brown():
    for point in halves(*rated(4000, 8), rng=rng()):
        assert point.mean == pytest.approx(spearman_brown(0.5, point.k), abs=0.02)


def test_texts_with_too_few_ratings_are_left_out():
    unit = np.array([0] * 4 + [1] * 4 + [2] * 4 + [3] * 3 + [4])
    value = np.array([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 4, 1, 2, 2, 5.0])
    found = halves(unit, None, value, rng=rng())
    assert [(point.k, point.n) for point in found] == [(1, 4), (2, 3)]


def test_a_rater_who_rates_a_text_twice_counts_once():
    unit, rater = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([1, 1, 2, 1, 2, 1, 2])
    found = halves(unit, rater, np.array([9, 1, 1, 2, 2, 3, 3.0]), rng=rng())
    assert [(point.k, point.mean) for point in found] == [(1, pytest.approx(1))]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([1.0, 2, 3, 4], "fewer than 3 pairs of scores"),
        ([3.0] * 8, "one half: all the same"),
    ],
)
def test_there_is_a_reason_where_there_is_no_number(value, reason):
    unit = np.repeat(np.arange(len(value) // 2), 2)
    (found,) = halves(unit, None, np.array(value), rng=rng())
    assert (found.mean, found.reason) == (None, reason)


def test_single_ratings_have_no_halves():
    assert halves(np.arange(5), None, np.ones(5), rng=rng()) == ()
    assert halves(np.empty(0), None, np.empty(0), rng=rng()) == ()


def test_an_unknown_coefficient_is_refused():
    with pytest.raises(ValueError, match="expected one of pearson"):
        halves(np.arange(2), None, np.ones(2), rng=rng(), coefficient="r")


@given(p=st.floats(0.01, 1), target=st.floats(0.01, 0.99))
def test_so_many_ratings_reach_the_target_and_one_less_does_not(p, target):
    k = needed(p, target)
    assert k is not None
    assert spearman_brown(p, k) >= target - 1e-9
    assert k == 1 or spearman_brown(p, k - 1) < target


def test_no_number_of_worthless_ratings_is_enough():
    assert needed(0, 0.8) is None
    assert needed(1, 0.8) == 1


@pytest.mark.parametrize(("p", "target"), [(-0.1, 0.8), (1.1, 0.8), (0.5, 1), (0.5, 0)])
def test_shares_out_of_range_are_refused(p, target):
    with pytest.raises(ValueError, match="expected single in"):
        needed(p, target)


def test_the_examples_hold():
    assert doctest.testmod(rater_numbers).failed == 0
