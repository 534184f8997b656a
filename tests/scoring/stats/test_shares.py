import doctest

import numpy as np
import pytest

from scoring.stats import shares
from scoring.stats.counts import draw, draw_both
from scoring.stats.shares import share_of_points


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_interval_is_that_of_the_means_of_copied_samples():
    points, units = rng().integers(0, 3, 30) / 2, np.repeat(np.arange(6), 5)
    made = draw(units, rng=rng(1), draws=200)
    means = [np.repeat(points, w.astype(int)).mean() for w in made.rows()]
    found = share_of_points(points, made)
    assert found[:2] == pytest.approx((points.mean(), np.quantile(means, 0.025)))
    assert (found.high, found.n) == (pytest.approx(np.quantile(means, 0.975)), 30)


def test_two_designs_may_be_drawn_at_once():
    made = draw_both(np.repeat([0, 1, 2], 9), np.tile([0, 1, 2], 9), rng=rng())
    found = share_of_points(rng(1).integers(0, 2, 27), made)
    assert found.low < found.value < found.high


def test_only_units_that_have_rows_count():
    made = draw(np.arange(9), rng=rng()).only(np.array([4]))
    assert share_of_points(np.ones(1), made).reason == "only one unit to draw from"


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(shares).failed == 0
