"""How reliable the mean of several ratings is, and how many ratings one needs."""

from __future__ import annotations

from math import ceil

import numpy as np

from scoring.stats._ratings import ratings
from scoring.stats.correlation import Coefficient, check, named
from scoring.stats.subsets import REPEATS, Point, point

NAMES = ("one half", "the other half")


def halves(
    unit: np.ndarray,
    rater: np.ndarray | None,
    value: np.ndarray,
    *,
    rng: np.random.Generator,
    repeats: int = REPEATS,
    coefficient: str = "pearson",
) -> tuple[Point, ...]:
    """Correlate the mean of k ratings of a text with the mean of k others.

    Of each text 2 k ratings are drawn, and split at random. With Pearson's r this
    measures what `raters.spearman_brown` predicts from the reliability of one rating.

    Args:
        unit: As in `_ratings.ratings`, shape (k,).
        rater: As in `_ratings.ratings`, shape (k,).
        value: As in `_ratings.ratings`, shape (k,).
        rng: Where halves are drawn.
        repeats: Draws for each k.
        coefficient: "pearson", "spearman" or "kendall".

    Returns:
        One point for each k from 1 to half the most ratings of a text. A text with
        fewer than 2 k ratings is left out at k: n says how many remain. None with a
        reason where too few remain, or where their means are all the same.

    Raises:
        ValueError: If the coefficient is unknown, or the lengths differ.
    """
    check(coefficient)
    known = ratings(unit, rater, value)
    m = np.bincount(known.unit)
    most = int(m.max(initial=0)) // 2
    drawn: list[list[Coefficient]] = [[] for _ in range(most)]
    first = np.cumsum(m) - m
    for _ in range(repeats):
        mixed = np.argsort(known.unit + rng.random(len(known.unit)))
        # With a 0 in front, sums[j] - sums[i] is the sum of the rows i to j - 1.
        sums = np.concatenate([[0.0], np.cumsum(known.value[mixed])])
        for k in range(1, most + 1):
            at = first[m >= 2 * k]
            one = np.round((sums[at + k] - sums[at]) / k, 9)
            other = np.round((sums[at + 2 * k] - sums[at + k]) / k, 9)
            drawn[k - 1].append(named(coefficient, one, other, NAMES))
    return tuple(point(k, found) for k, found in enumerate(drawn, start=1))


def needed(single: float, target: float) -> int | None:
    """Ratings per text whose mean has a reliability of at least `target`.

    k = R (1 - p) / (p (1 - R)), rounded up: Spearman-Brown solved for k.

    Args:
        single: p, the reliability of one rating, in [0, 1].
        target: R, in (0, 1).

    Returns:
        None where no number of ratings is enough: p = 0.

    Raises:
        ValueError: If one of them is out of range.

    >>> needed(0.5, 0.8)
    4
    """
    if not 0 <= single <= 1 or not 0 < target < 1:
        raise ValueError(
            f"expected single in [0, 1] and target in (0, 1), got {single}, {target}"
        )
    if single == 0:
        return None
    # 4.000000000000001 ratings are 4.
    k = target * (1 - single) / (single * (1 - target))
    return max(1, ceil(round(k, 9)))
