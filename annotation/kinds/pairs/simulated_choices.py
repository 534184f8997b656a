"""What simulated workers say of two texts. No database.

A worker who reads feels a quality of each text, as for a rating, and compares. What a
rating would round to one point is no difference; what lies further apart than texts of
one system usually do is much better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.models import comparing
from annotation.quality.rater_kinds import TEXT_SPREAD, Kind

# In points of a scale from 1 to 5.
ALIKE = 0.5
FAR_APART = 3 * TEXT_SPREAD


def felt(
    *, kind: Kind, first: np.ndarray, second: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """By how much the first text seems better than the second one.

    How strict someone is does not matter: it holds for both texts.

    Args:
        kind: Of the worker.
        first: True quality of the first texts, any shape, about 1 to 5.
        second: Of the second ones, without their damage.
        rng: Draws the worker's noise, once for each text.
    """
    noise = rng.normal(0, kind.noise, (2, *first.shape))
    difference: np.ndarray = kind.contrast * (first - second) + noise[0] - noise[1]
    return difference


def choice(difference: np.ndarray, points: Sequence[int]) -> np.ndarray:
    """Answers as they are stored, of those that a study offers.

    >>> choice(np.array([2.0, 0.7, 0.1, -0.7]), (1, 2, 3, 4, 5)).tolist()
    [1, 2, 3, 4]
    >>> choice(np.array([2.0, 0.1, -0.1]), (2, 4)).tolist()
    [2, 2, 4]
    """
    size = np.ones_like(difference)
    if comparing.TIE in points:
        size = np.where(np.abs(difference) < ALIKE, 0, size)
    if comparing.MUCH_FIRST in points:
        size = np.where(np.abs(difference) >= FAR_APART, 2, size)
    side = np.where(difference < 0, -1, 1)
    return np.asarray(comparing.TIE - side * size, dtype=np.int64)


def blind(
    *,
    points: Sequence[int],
    shape: tuple[int, int],
    same: bool,
    rng: np.random.Generator,
) -> np.ndarray:
    """Answers as pressed, of someone who reads nothing: all the same, or by chance."""
    found = rng.choice(points, (1, 1) if same else shape)
    return np.broadcast_to(found, shape)
