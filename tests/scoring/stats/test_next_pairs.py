from __future__ import annotations

import doctest

import numpy as np
import pytest

from scoring.stats import next_pairs, preference
from scoring.stats.next_pairs import variances


def test_the_examples_hold():
    assert doctest.testmod(next_pairs).failed == 0


def test_two_items_have_the_variance_of_a_log_odds():
    """1 / wins + 1 / losses, as of any share."""
    wins = np.array([[0, 9], [4, 0]])
    found = variances(wins, np.zeros((2, 2)), 1e-9)
    assert found[0, 1] == pytest.approx(1 / 9 + 1 / 4, rel=1e-6)


@pytest.mark.slow
def test_it_is_the_spread_of_strengths_over_many_studies():
    rng, theta = np.random.default_rng(4), np.array([0.5, 0.0, -0.5])
    n = np.array([[0, 200, 40], [200, 0, 120], [40, 120, 0]])
    p = 1 / (1 + np.exp(theta[np.newaxis] - theta[:, np.newaxis]))
    apart, said = [], []
    for _ in range(1500):
        up = np.triu(rng.binomial(n, p), 1)
        wins = up + np.triu(n - up, 1).T

        fitted = preference.fit(wins, np.zeros((3, 3)), ties_as="half").values
        apart.append([fitted[0] - fitted[1], fitted[0] - fitted[2]])
        said.append(variances(wins, np.zeros((3, 3)), 1e-9)[0, 1:])
    assert np.mean(said, axis=0) == pytest.approx(np.var(apart, axis=0), rel=0.08)


def test_items_without_votes_are_the_least_known():
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 0] = 20
    found = variances(wins, np.zeros((3, 3)))
    assert found[0, 2] > found[0, 1] and found[1, 2] > found[0, 1]
    assert np.diag(found).tolist() == [0, 0, 0]
    assert found == pytest.approx(found.T)


def test_without_virtual_votes_it_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        variances(np.zeros((2, 2)), np.zeros((2, 2)), 0)
