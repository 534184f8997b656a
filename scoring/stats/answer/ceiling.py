"""What one rater reaches, and each metric against the very same targets.

A target is the mean of the ratings of a text without the one that is left out. A metric
that is compared with a rater is measured with these targets too: with the mean of all
ratings, which is more reliable, it would have it easier.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scoring.stats._picks import PANEL, at_random, each_rater
from scoring.stats._ratings import Ratings, others_of, ratings
from scoring.stats.estimates import Estimate
from scoring.stats.raters import (
    EACH_RATER,
    ONE_AT_RANDOM,
    single_reliability,
    spearman_brown,
)

NO_PAIR = "no text has two single ratings"
# Texts whose ratings must stand in order before that is taken for sorting, and ratings
# that each needs: of two raters, one may well be the stricter throughout.
SORTED, OF_RATERS = 20, 3


class Pick(NamedTuple):
    """One rating of each of some texts, and the target: the mean of their others."""

    text: np.ndarray  # (k,) rows of texts
    rating: np.ndarray  # (k,)
    rest: np.ndarray  # (k,)


class Panel(NamedTuple):
    """The raters of one aspect."""

    picks: list[Pick]  # empty where no text has two ratings
    n: int  # texts with two ratings
    n_rest: float  # other ratings that a rating is compared with: harmonic mean
    method: str  # how one rater was taken
    was_sorted: bool  # raters are named, but the names are those of sorted lists


def panel(
    text: np.ndarray,
    rater: np.ndarray | None,
    value: np.ndarray,
    *,
    rng: np.random.Generator,
) -> Panel:
    """Take one rater after the other, or a random rating of each text.

    Up to 20 named raters: each in turn. More, or unnamed ones: a rating drawn from each
    text, 20 times. If the ratings of each text are in order of size, the names are
    places in sorted lists, not raters: taken as unnamed.

    Args:
        text: Row of the text of each rating, (k,).
        rater: Who gave it, (k,); None = unknown.
        value: (k,).
        rng: Draws ratings.
    """
    known = ratings(text, rater, value)
    in_order = rater is not None and _sorted(known)
    named = rater is not None and not in_order and len(known.names) <= PANEL
    rows = [at for at in _picked(known, named, rng) if len(at)]
    rest, of_text = others_of(known), np.asarray(text)[known.row]
    picks = [Pick(of_text[at], known.value[at], rest[at]) for at in rows]
    m = np.bincount(known.unit)
    texts = m[m >= 2]
    times = texts if named else np.ones(len(texts))
    n_rest = times.sum() / (times / (texts - 1)).sum() if len(texts) else math.nan
    method = EACH_RATER if named else ONE_AT_RANDOM
    return Panel(picks, len(texts), float(n_rest), method, in_order)


def of_several(one: Estimate, n_rest: float, n: int) -> Estimate:
    """The correlation of the mean of n raters with the same targets, by Spearman-Brown.

    sqrt(R(p, n) R(p, rest)) with p from r = sqrt(p R(p, rest)); n = 1 gives r again.

    Args:
        one: r, of one rater with the mean of the rest, with its limits.
        n_rest: How many the rest are.
        n: Raters whose mean is taken.
    """
    if one.value is None or one.value < 0:
        reason = one.reason or "raters disagree more than by chance"
        return Estimate(None, n=one.n, reason=reason)

    def of_mean(r: float) -> float:
        p = single_reliability(max(0.0, r), n_rest)
        return math.sqrt(spearman_brown(p, n) * spearman_brown(p, n_rest))

    return one.transformed(of_mean)


def _picked(known: Ratings, named: bool, rng: np.random.Generator) -> list[np.ndarray]:
    return each_rater(known) if named else at_random(known, rng)


def _sorted(known: Ratings) -> bool:
    """Whether the ratings of each text are in order of size."""
    raters = np.bincount(known.rater, known.value) / np.bincount(known.rater)
    order = np.lexsort((raters[known.rater], known.unit))
    unit, value = known.unit[order], known.value[order]
    inside = unit[1:] == unit[:-1]
    steps = np.diff(value)[inside]
    m = np.bincount(known.unit)
    varied = np.unique(unit[1:][inside][steps != 0])
    return bool((steps >= 0).all() and (m[varied] >= OF_RATERS).sum() >= SORTED)
