"""Which ratings are compared with the others of a text: one rater's, or random ones."""

from __future__ import annotations

import numpy as np

from scoring.stats._ratings import Ratings

# Up to so many raters, each is compared with the others; beyond, a crowd of whom each
# rated few texts, one rating per text is drawn instead, this many times.
PANEL = 20
SPLITS = 20


def each_rater(known: Ratings) -> list[np.ndarray]:
    """The ratings of each rater that others share the text of."""
    shared = np.bincount(known.unit)[known.unit] >= 2
    return [
        np.flatnonzero(shared & (known.rater == who)) for who in range(len(known.names))
    ]


def at_random(known: Ratings, rng: np.random.Generator) -> list[np.ndarray]:
    """One rating of each text with two, again and again."""
    m = np.bincount(known.unit)
    rows, units = np.flatnonzero(m[known.unit] >= 2), np.flatnonzero(m >= 2)
    first = np.empty(len(m), np.intp)
    picks = []
    for _ in range(SPLITS):
        mixed = rng.permutation(rows)[::-1]
        first[known.unit[mixed]] = mixed  # of rows with one unit, the last is written
        picks.append(first[units])
    return picks
