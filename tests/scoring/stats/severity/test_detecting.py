"""How strict a rater has to be to be seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from scoring.stats.severity.detecting import detectable


def test_it_is_that_of_a_t_test_of_the_differences():
    text, rater = np.tile(np.arange(4), 2), np.repeat([0, 1], 4)
    found = detectable(text, rater, np.array([1, 2, 3, 4, 2, 2, 4, 4]))
    # Differences are -1, 0, -1, 0 and 1, 0, 1, 0: squares add up to 2, df = 6.
    expected = (t.ppf(0.975, 6) + t.ppf(0.8, 6)) * math.sqrt(2 / 6 / 4)
    assert found.points == pytest.approx(expected) and found.n == 4
    assert found.needed(expected) == 4 and found.needed(expected / 2) == 16


@pytest.mark.parametrize("value", [[], [3, 4]])
def test_where_no_rater_has_two_ratings_nothing_is_seen(value):
    rater = np.arange(len(value))
    assert detectable(np.zeros(len(value)), rater, np.array(value)).points == math.inf
