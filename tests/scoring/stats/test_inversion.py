"""Limits and p from one inversion: checked by solving the equation numerically."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import scipy

from scoring.stats.inversion import (
    SECOND_ORDER,
    Inverted,
    by_hall,
    by_longer_tail,
    by_t,
)

stretched = partial(by_longer_tail, stretch=SECOND_ORDER)


def hall(t: float, a: float) -> float:
    return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6


@pytest.mark.parametrize("skewness", [-0.9, -0.1, 0.0, 0.2, 1.3])
def test_limits_solve_the_transformed_equation(skewness: float) -> None:
    value, se, df = 0.4, 0.15, 11
    of = (np.array(number) for number in (value, se, df, skewness))
    made = by_hall(*of, level=0.9)
    for end, tail in ((made.low, 0.05), (made.high, 0.95)):
        wanted = scipy.stats.t.isf(tail, df)
        solved = scipy.optimize.brentq(
            lambda at, w=wanted: hall((value - at) / se, skewness) - w, -9, 9
        )
        assert float(end) == pytest.approx(solved)


@pytest.mark.parametrize("skewness", [-0.9, 0.0, 0.7])
@pytest.mark.parametrize("tests", [1, 190])
@pytest.mark.parametrize("inverted", [by_hall, stretched])
def test_p_is_below_alpha_exactly_where_the_interval_leaves_out_the_null(
    inverted: Callable[..., Inverted], skewness: float, tests: int
) -> None:
    alpha = 0.05 / tests
    value, se, df = np.linspace(-3, 3, 601), np.array(0.3), np.array(9)
    made = inverted(value, se, df, np.array(skewness), level=1 - alpha)
    outside = (made.low > 0) | (made.high < 0)
    assert outside.any()
    assert not outside.all()
    np.testing.assert_array_equal(made.p < alpha, outside)
    np.testing.assert_array_equal(made.greater < alpha / 2, made.low > 0)
    np.testing.assert_array_equal(made.less < alpha / 2, made.high < 0)


def test_t_is_that_of_one_sample() -> None:
    sample = np.random.default_rng(3).normal(0.3, size=14)
    se = np.array(sample.std(ddof=1) / 14**0.5)
    made = by_t(np.array(sample.mean()), se, np.array(13), null=0.1)
    known = scipy.stats.ttest_1samp(sample, 0.1)
    assert float(made.p) == pytest.approx(known.pvalue)
    ends = float(made.low), float(made.high)
    assert ends == pytest.approx(tuple(known.confidence_interval()))


@pytest.mark.parametrize(("se", "df"), [(0.0, 9), (1e-16, 9), (np.nan, 9), (0.2, 0)])
def test_without_a_standard_error_there_are_neither_limits_nor_p(
    se: float, df: float
) -> None:
    made = by_t(np.array(0.5), np.array(se), np.array(df))
    assert np.isnan(made).all()


@pytest.mark.parametrize("skewness", [-1.2, 0.4])
def test_a_longer_tail_never_makes_p_smaller_and_never_holds_it_up(
    skewness: float,
) -> None:
    value = np.linspace(-9, 9, 91)
    plain = by_t(value, np.array(0.5), np.array(9))
    made = stretched(value, np.array(0.5), np.array(9), np.array(skewness))
    assert (made.p >= plain.p * (1 - 1e-12)).all()
    assert (np.diff(made.greater) < 0).all()
    assert made.greater[-1] < 1e-2
