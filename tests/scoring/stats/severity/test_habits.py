"""Raters of one answer, and of the ends of the scale alone."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.severity.habits import habits


def crowd(own: list[int], others: list[int]) -> tuple[np.ndarray, ...]:
    """Rater 0 beside three who all give `others`."""
    texts = np.arange(len(own))
    value = np.array([own, others, others, others])
    return np.tile(texts, 4), np.repeat(np.arange(4), len(own)), value.ravel()


VARIED = [1, 2, 3, 4, 5, 4, 3, 2] * 2


@pytest.mark.parametrize(
    ("own", "others", "constant", "ends"),
    [
        ([5] * 16, VARIED, True, False),
        ([1, 5] * 8, VARIED, False, True),
        ([1, 5] * 7 + [1, 3], VARIED, False, False),
        ([5, 5], [1, 3], False, False),  # two ratings say nothing
        ([5] * 16, [5] * 15 + [4], False, False),  # nearly all others do, too
        ([1, 5] * 8, [1, 5] * 8, False, False),  # a scale of two points
    ],
)
def test_whoever_answers_so_beyond_chance_is_found(own, others, constant, ends):
    found = habits(*crowd(own, others))
    assert found.constant.tolist() == [constant, False, False, False]
    assert found.ends.tolist() == [ends, False, False, False]


def test_without_ratings_nobody_is():
    assert not len(habits(*np.zeros((3, 0))).names)


def test_the_chance_is_the_share_of_others_to_the_power_of_ratings():
    # 2 raters, (0 + 1) / (n + 2) to the n: 2 / 4^2 = .125, 2 / 5^3 = .016, 2 / 6^4.
    for n, found in ((2, False), (3, False), (4, True)):
        text, rater = np.tile(np.arange(n), 2), np.repeat([0, 1], n)
        value = np.append(np.full(n, 5), [1, 2, 3, 4][:n])
        assert habits(text, rater, value).constant.tolist() == [found, False]
