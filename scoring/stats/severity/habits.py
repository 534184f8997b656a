"""Raters whose answers do not depend on the text: one answer, or only the two ends.

With n ratings that all lie in a set of answers (one answer; the lowest and the highest
point in use), and s the share of that set among what others gave the same texts, an
independent rater does so with a chance of about s^n. A rater counts as one if that is
below 1 % over all R raters,

    R s^n < 0.01,    s = (others' ratings in the set + 1) / (others' ratings + 2),

so that nobody does for a few ratings, or where nearly everybody gives that answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats._ratings import Ratings, ratings

LIMIT = 0.01


class Habits(NamedTuple):
    """Of each rater, in the order of their names."""

    names: np.ndarray  # (R,)
    constant: np.ndarray  # (R,) bool: one answer to everything
    ends: np.ndarray  # (R,) bool: both ends of the scale, never a point between


def habits(text: np.ndarray, rater: np.ndarray, value: np.ndarray) -> Habits:
    """Find both kinds of raters.

    Args:
        text: Which text was rated, (k,), of any kind.
        rater: Who rated it, (k,), of any kind. The last rating of a text counts.
        value: The rating, (k,); NaN = missing.

    Returns:
        Nobody where there are no ratings; `ends` needs a point between two in use.

    Raises:
        ValueError: If the lengths differ.
    """
    known = ratings(text, rater, value)
    n_raters = len(known.names)
    if not len(known.row):
        return Habits(known.names, *np.zeros((2, n_raters), bool))
    low, high = np.full(n_raters, np.inf), np.full(n_raters, -np.inf)
    np.minimum.at(low, known.rater, known.value)
    np.maximum.at(high, known.rater, known.value)
    constant = (low == high) & _unlikely(known, low)
    least, most = known.value.min(), known.value.max()
    at_end = (known.value == least) | (known.value == most)
    inner = np.bincount(known.rater, ~at_end, n_raters)
    both = (low == least) & (high == most) & (inner == 0) & ~at_end.all()
    return Habits(known.names, constant, both & _rare(known, at_end))


def _unlikely(known: Ratings, low: np.ndarray) -> np.ndarray:
    """Whether chance makes it rare to give nothing but one's lowest answer, (R,)."""
    found = np.zeros(len(low), bool)
    for answer in np.unique(low):
        own = low == answer
        found[own] = _rare(known, known.value == answer)[own]
    return found


def _rare(known: Ratings, inside: np.ndarray) -> np.ndarray:
    """Whether R s^n < 0.01 for answers that are `inside`, (R,)."""
    n_raters = len(known.names)
    n = np.bincount(known.rater, minlength=n_raters)
    others = np.bincount(known.unit)[known.unit] - 1
    of_text = np.bincount(known.unit, inside)[known.unit] - inside
    total, found = (np.bincount(known.rater, of, n_raters) for of in (others, of_text))
    log = np.log(n_raters) + n * np.log((found + 1) / (total + 2))
    return np.asarray(log < np.log(LIMIT))
