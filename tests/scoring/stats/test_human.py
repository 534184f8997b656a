"""One human score, whoever asks for it."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.human import human_scores

NOWHERE = (np.empty(0, np.int64), np.empty(0, np.int64))


def score(ratings=(), means=(), n=()) -> tuple[float, int]:
    """Of one text on one aspect."""
    at = np.zeros(len(means), np.int64)
    values, counts = human_scores(
        np.array([[sum(ratings)]]),
        np.array([[len(ratings)]]),
        (at, at),
        np.array(means, np.float64),
        np.array(n, np.int64),
    )
    return values[0, 0], counts[0, 0]


def test_it_is_the_mean_of_single_ratings():
    assert score([4, 5, 3]) == (4.0, 3)


def test_an_imported_mean_weighs_as_many_ratings_as_are_behind_it():
    assert score([5], [2.0], [3]) == (11 / 4, 4)


def test_one_of_unknown_n_counts_where_there_is_nothing_else():
    assert score([5], [2.0], [0]) == (5.0, 1)
    assert score([], [2.0], [0]) == (2.0, 0)


def test_without_a_rating_there_is_none():
    value, n = score()
    assert np.isnan(value)
    assert n == 0


def test_means_that_differ_by_rounding_only_are_one_number():
    """1.35 of three ratings and 1.35 of five are a tie: tau-b counts those."""
    at = np.arange(2), np.zeros(2, np.int64)
    found, _ = human_scores(
        np.zeros((2, 1)), np.zeros((2, 1), int), at, np.full(2, 1.35), np.array([3, 5])
    )
    assert 1.35 * 3 / 3 != 1.35 * 5 / 5
    assert found[0] == found[1] == pytest.approx(1.35)


def test_no_texts_give_no_scores():
    values, n = human_scores(
        np.zeros((0, 2)), np.zeros((0, 2)), NOWHERE, np.empty(0), np.empty(0, int)
    )
    assert values.shape == n.shape == (0, 2)
