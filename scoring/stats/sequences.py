"""Confidence sequences: intervals of a mean that hold at every look, not only at one.

If you look after each prompt and stop once a 95 % interval leaves out 0, you are wrong
far more often than one time in twenty. These intervals hold for all looks together, for
bounded numbers of any distribution, without an approximation for large samples
(`benchmarks/sequences.md`).
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

ALPHA = 0.05
# Bets are sized for a decision after about so many prompts. The intervals hold for any
# number; they are narrowest around this one. A constant, so that nothing that is
# learned during a study can change a bet.
HORIZON = 100
# The largest share of the capital that is put at risk: all of it could end a bet for
# good. Of .5, .8, .9 and .95 the last was narrowest.
MOST = 0.95
# Of numbers in [0, 1] before there are two: a spread of a quarter of the scale.
PRIOR_VARIANCE = 1 / 64
HALVINGS = 24  # of the range: ends are exact to 1e-7 of it


class Interval(NamedTuple):
    """What is left of the range after all looks; NaN where no mean is left."""

    low: np.ndarray
    high: np.ndarray

    @property
    def sign(self) -> np.ndarray:
        """1 or -1 where it leaves out 0, else 0; (...) int64."""
        return (self.low > 0).astype(np.int64) - (self.high < 0)


def pairs(n: int) -> list[tuple[int, int]]:
    """Each two of n things, first one first.

    >>> pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(n), 2))


def level_of_pair(n_pairs: int, alpha: float = ALPHA) -> float:
    """The level of each of several sequences that are to hold together.

    alpha / n: Bonferroni's, which needs nothing of how the pairs depend on each other.
    Holm's steps would let pairs be decided sooner, but not the direction of each, nor
    the intervals that stand beside it.

    Args:
        n_pairs: How many, 1 or more.
        alpha: Of all of them together.

    Raises:
        ValueError: If there is no pair, or alpha is not in (0, 1).

    >>> level_of_pair(10)
    0.005
    """
    if n_pairs < 1 or not 0 < alpha < 1:
        raise ValueError(f"expected pairs and 0 < alpha < 1, got {n_pairs}, {alpha}")
    return alpha / n_pairs


def interval(
    differences: np.ndarray, *, width: float, alpha: float = ALPHA
) -> Interval:
    """The confidence sequence of a mean as it stands after the last difference.

    The hedged capital process of Waudby-Smith and Ramdas (2024, JRSS B 86(1), 1-27,
    https://arxiv.org/abs/2010.09686). With x_i = (d_i + w) / 2w in [0, 1], a bet
    that their mean is above m has the capital

        K_t(m) = prod_{i <= t} (1 + min(l_i, c / m) (x_i - m)),
        l_i = sqrt(2 log(2 / alpha) / (H s_{i-1}^2)),
        s_i^2 = (v + sum_{j <= i} (x_j - m_j)^2) / (i + 1),
        m_j = (1/2 + sum_{k <= j} x_k) / (j + 1).

    If m is their mean, K is a martingale from 1, so that by Ville's inequality it ever
    reaches 2 / alpha with probability alpha / 2 at most; likewise for bets that it is
    below. K falls with m, so the lower end is the largest m at which K has reached
    2 / alpha at some look so far. The bet is theirs for a fixed number H (constants:
    c = `MOST`, v = `PRIOR_VARIANCE`); of those that were tried it decided soonest.

    Args:
        differences: Of single prompts in the order of the looks, which must be random,
            shape (..., n), each in [-w, w]. NaN = this prompt has none: it is skipped.
        width: w, the length of the scale.
        alpha: The chance that the interval leaves out the mean at any look.

    Returns:
        Ends in the unit of the differences, shape (...). Without a difference the whole
        range. NaN if looks contradict each other, so that no mean is left: the first
        prompts had another mean than the later ones.

    Raises:
        ValueError: If a difference is outside [-w, w], or alpha not in (0, 1).

    >>> [round(float(end), 3) for end in interval(np.full(30, 1.0), width=4.0)]
    [0.395, 1.366]
    """
    d = _checked(differences, width, alpha)
    low, high = _end(d, width, alpha), -_end(-d, width, alpha)
    empty = low > high
    return Interval(np.where(empty, np.nan, low), np.where(empty, np.nan, high))


def signs(differences: np.ndarray, *, width: float, alpha: float = ALPHA) -> np.ndarray:
    """After each difference whether the mean is known to be above or below 0.

    The same as the sign of `interval` at each look, for many studies at once, but that
    the side that was decided first stays.

    Args:
        differences: As in `interval`, (..., n).
        width: As in `interval`.
        alpha: As in `interval`.

    Returns:
        1, -1, or 0 while it is open, (..., n) int64.

    Raises:
        ValueError: As in `interval`.
    """
    d = _checked(differences, width, alpha)
    zero = np.full(d.shape[:-1], 0.5)
    above, below = (
        np.maximum.accumulate(_capital(x, zero, _bets(x, alpha)), axis=-1)
        >= np.log(2 / alpha)
        for x in (_shares(d, width), _shares(-d, width))
    )
    later = below.cumsum(axis=-1) < above.cumsum(axis=-1)
    return np.where(above & (later | ~below), 1, np.where(below, -1, 0))


def _checked(differences: np.ndarray, width: float, alpha: float) -> np.ndarray:
    d = np.asarray(differences, dtype=np.float64)
    if not 0 < alpha < 1:
        raise ValueError(f"expected 0 < alpha < 1, got {alpha}")
    # Means of ratings are exact up to rounding.
    far = np.abs(np.nan_to_num(d)).max(initial=0.0)
    if not far <= width * (1 + 1e-9):
        raise ValueError(f"expected differences from -{width} to {width}, got {far}")
    return np.clip(d, -width, width)


def _shares(d: np.ndarray, width: float) -> np.ndarray:
    """Of the range, in [0, 1]."""
    found: np.ndarray = (d + width) / (2 * width)
    return found


def _end(d: np.ndarray, width: float, alpha: float) -> np.ndarray:
    """The lower end, by halving the range: rejected below, not rejected above."""
    x = _shares(d, width)
    bets, needed = _bets(x, alpha), np.log(2 / alpha)
    low, high = np.zeros(x.shape[:-1]), np.ones(x.shape[:-1])
    for _ in range(HALVINGS if x.shape[-1] else 0):
        middle = (low + high) / 2
        rejected = _capital(x, middle, bets).max(axis=-1) >= needed
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    found: np.ndarray = (2 * low - 1) * width
    return found


def _capital(x: np.ndarray, mean: np.ndarray, bets: np.ndarray) -> np.ndarray:
    """The log of K_t(m) at each look t, (..., n), for one mean m of each one, (...)."""
    m = mean[..., np.newaxis]
    won = np.minimum(bets, MOST / m) * (x - m)
    found: np.ndarray = np.log1p(np.where(np.isnan(x), 0.0, won)).cumsum(axis=-1)
    return found


def _bets(x: np.ndarray, alpha: float) -> np.ndarray:
    """l_i, each known before x_i, (..., n)."""
    known = ~np.isnan(x)
    n = known.cumsum(axis=-1) + 1
    means = (0.5 + np.where(known, x, 0.0).cumsum(axis=-1)) / n
    off = np.where(known, x - means, 0.0) ** 2
    variance = (PRIOR_VARIANCE + off.cumsum(axis=-1)) / n
    before = np.empty_like(variance)
    before[..., :1], before[..., 1:] = PRIOR_VARIANCE, variance[..., :-1]
    found: np.ndarray = np.sqrt(2 * np.log(2 / alpha) / (HORIZON * before))
    return found
