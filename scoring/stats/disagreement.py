"""Where two metrics disagree most: texts, and pairs of texts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

TEXTS = 20
# Human means that are equal on paper differ in the last digits of a float.
HUMAN_TIE = 1e-9
EQUAL = 1e-12


class Disagreement(NamedTuple):
    """Texts that two metrics rank most differently, the largest difference first."""

    rows: np.ndarray  # (k,) intp
    first: np.ndarray  # (n,) standardised ranks by the first metric, NaN = not ranked
    second: np.ndarray  # (n,)
    n: int  # texts that were ranked


class Pair(NamedTuple):
    """Two texts that two metrics order differently."""

    better: int  # row of the text that people prefer
    worse: int
    first_right: bool  # whether the first metric prefers it, too
    apart: float  # [0, 2], how far apart the metrics' ranks put the two texts


def standardised_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks of scores, evenly from 0 for the lowest to 1 for the highest.

    (rank - 1/2) / n; equal scores share the mean of their ranks.

    Args:
        scores: Shape (n,). NaN = missing, and not ranked.

    >>> standardised_ranks(np.array([5, np.nan, 1, 5, 9.0]))
    array([0.5  ,   nan, 0.125, 0.5  , 0.875])
    """
    scores = np.asarray(scores, np.float64)
    found = np.full(scores.shape, np.nan)
    known = ~np.isnan(scores)
    if known.any():
        found[known] = (scipy.stats.rankdata(scores[known]) - 0.5) / known.sum()
    return found


def texts(x1: np.ndarray, x2: np.ndarray, *, limit: int = TEXTS) -> Disagreement:
    """Find the texts whose ranks by two metrics differ most.

    Args:
        x1: Scores by the one metric, higher is better, shape (n,). NaN = missing: a
            text that lacks one is ranked by neither.
        x2: Scores of the same texts by the other metric, likewise.
        limit: How many texts at most. Of equal differences the first come first; a text
            on which the metrics agree is not among them.
    """
    known = ~(np.isnan(x1) | np.isnan(x2))
    first, second = (
        standardised_ranks(np.where(known, scores, np.nan)) for scores in (x1, x2)
    )
    apart = np.where(known, np.abs(first - second), 0.0)
    rows = np.argsort(-apart, kind="stable")[:limit]
    return Disagreement(rows[apart[rows] > EQUAL], first, second, int(known.sum()))


def pairs(
    first: np.ndarray,
    second: np.ndarray,
    human: np.ndarray,
    groups: np.ndarray,
    *,
    limit: int = TEXTS,
) -> list[Pair]:
    """Find pairs of texts that the metrics order differently, and people do order.

    Args:
        first: Standardised ranks by the one metric, from `texts`, (n,).
        second: Standardised ranks by the other metric, (n,).
        human: Human scores, higher is better, (n,). NaN = missing.
        groups: Only texts of one group are compared, mostly of one prompt, (n,).
        limit: How many pairs at most, one from each group: those that the metrics'
            ranks put furthest apart.
    """
    found: list[Pair] = []
    known = ~(np.isnan(first) | np.isnan(second) | np.isnan(human))
    for group in np.unique(groups[known]):
        rows = np.flatnonzero(known & (groups == group))
        pair = _furthest(rows, first[rows], second[rows], human[rows])
        if pair is not None:
            found.append(pair)
    return sorted(found, key=lambda pair: (-pair.apart, pair.better))[:limit]


def _furthest(
    rows: np.ndarray, first: np.ndarray, second: np.ndarray, human: np.ndarray
) -> Pair | None:
    """The pair of one group whose two differences of ranks are furthest apart."""
    ours, theirs = (np.subtract.outer(r, r) for r in (first, second))
    preferred = np.subtract.outer(human, human) > HUMAN_TIE
    apart = np.where(preferred & (ours * theirs < 0), np.abs(ours - theirs), 0.0)
    better, worse = np.unravel_index(np.argmax(apart), apart.shape)
    if apart[better, worse] <= EQUAL:
        return None
    right = bool(ours[better, worse] > 0)
    size = float(apart[better, worse])
    return Pair(int(rows[better]), int(rows[worse]), right, size)
