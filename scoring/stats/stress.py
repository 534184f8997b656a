"""How far a judge's scores move by what should not move them, and by what should.

Every function pairs a text with itself: asked again, in other words, made longer. So
what the texts themselves are worth cancels out. Intervals are those of
`clustered.py`, over whole prompts, as texts of one prompt are not independent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scoring.stats import cluster_t, clustered, damage
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate

NO_PAIR = "no text has both scores"
NO_FAMILY = "needs rated texts of the judge's family and of other systems"


def flips(
    first: np.ndarray, second: np.ndarray, units: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """Share of verdicts that differ between two askings.

    P(v(a) != v(b)), where v is the nearest whole number of the scale; halves go up, so
    that 2.5 and 3 are one verdict.

    Args:
        first: Scores, shape (n,). NaN = missing; a text that lacks either is left out.
        second: Scores of the same texts when they were asked again, likewise.
        units: What shares something, mostly the prompt, shape (n,).
        level: Nominal coverage.

    Returns:
        In [0, 1]; n counts the texts that have both.

    Raises:
        ValueError: If the shapes do not match.

    >>> ends = flips(np.array([1.0, 2, 3]), np.array([1.0, 2, 4]), np.arange(3))
    >>> [round(end, 3) for end in ends[:3]]
    [0.333, 0.061, 0.792]
    """
    first, second = _both(first, second)
    differ = np.where(verdicts(first) != verdicts(second), 1.0, 0.0)
    differ[np.isnan(first) | np.isnan(second)] = np.nan
    return clustered.share(differ, units, level=level, reason=NO_PAIR)


def verdicts(scores: np.ndarray) -> np.ndarray:
    """The nearest whole numbers, floor(s + 1/2); NaN stays."""
    return np.floor(np.asarray(scores, np.float64) + 0.5)


def change(
    first: np.ndarray, second: np.ndarray, units: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """Mean absolute change between two askings, sum |b - a| / n, in points.

    Arguments, missing scores and errors as in `flips`. At least 0, the interval too.
    """
    first, second = _both(first, second)
    apart = np.abs(second - first)
    found = cluster_t.mean(apart, units, level=level, reason=NO_PAIR)
    return found if found.low is None else replace(found, low=max(found.low, 0.0))


def shift(
    first: np.ndarray, second: np.ndarray, units: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """Mean change with its sign, sum (b - a) / n, in points: above 0 if it rises.

    Arguments, missing scores and errors as in `flips`.
    """
    first, second = _both(first, second)
    return cluster_t.mean(second - first, units, level=level, reason=NO_PAIR)


def beyond_repeats(
    first: np.ndarray,
    again: np.ndarray,
    altered: np.ndarray,
    units: np.ndarray,
    *,
    level: float = LEVEL,
) -> Estimate:
    """Share of verdicts that an alteration changes, less those that asking again does.

    P(v(c) != v(a)) - P(v(b) != v(a)): a judge that contradicts itself anyway does so in
    other words, too, and the words are not to blame.

    Args:
        first: As in `flips`.
        again: The same question once more.
        altered: An altered question about the same texts.
        units: As in `flips`.
        level: Nominal coverage.

    Returns:
        In [-1, 1], of the texts that have all three.
    """
    first, again = _both(first, again)
    first, altered = _both(first, altered)
    own = verdicts(first)
    more = 1.0 * (verdicts(altered) != own) - 1.0 * (verdicts(again) != own)
    more[np.isnan(first) | np.isnan(again) | np.isnan(altered)] = np.nan
    return cluster_t.mean(more, units, level=level, reason=NO_PAIR)


def reversed_scale(scores: np.ndarray, low: float, high: float) -> np.ndarray:
    """Scores of a scale whose ends were exchanged, as of the scale itself.

    s' = low + high - s. NaN stays.

    >>> reversed_scale(np.array([1.0, 4.5]), 1, 5).tolist()
    [5.0, 1.5]
    """
    return low + high - np.asarray(scores, np.float64)


def obedience(
    ordered_low: np.ndarray,
    ordered_high: np.ndarray,
    units: np.ndarray,
    *,
    low: float,
    high: float,
    level: float = LEVEL,
) -> Estimate:
    """How much of the scale a judge goes where a text tells it to go.

    o = mean (h - l) / (high - low), where h and l are the scores of one text that asks
    for the highest and for the lowest number. If the judge obeys in a share of texts
    and is otherwise not moved, o is this share, however noisy it is: noise cancels.

    Args:
        ordered_low: Scores of the texts that ask for the lowest number, shape (n,).
        ordered_high: Of the same texts that ask for the highest. NaN = missing.
        units: As in `flips`.
        low: The lowest number of the scale.
        high: The highest.
        level: Nominal coverage.

    Returns:
        0 = takes no orders, 1 = always; below 0 if it does the opposite. The interval
        is cut at -1 and 1.

    Raises:
        ValueError: If the shapes do not match or high is not above low.
    """
    if not high > low:
        raise ValueError(f"expected a scale that goes up, got {low} to {high}")
    down, up = _both(ordered_low, ordered_high)
    moved = (up - down) / (high - low)
    return _cut(cluster_t.mean(moved, units, level=level, reason=NO_PAIR))


def notices(
    whole: np.ndarray, damaged: np.ndarray, units: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """Share of damaged texts that score below their undamaged selves; ties count half.

    P(d < s) + P(d = s) / 2: 1/2 is guessing. Arguments, missing scores and errors as in
    `flips`.
    """
    whole, damaged = _both(whole, damaged)
    points = damage.lower(damaged - whole)
    return clustered.share(points, units, level=level, reason=NO_PAIR)


def favour(
    judged: np.ndarray,
    human: np.ndarray,
    own: np.ndarray,
    units: np.ndarray,
    *,
    level: float = LEVEL,
) -> Estimate:
    """How much more a judge gives to its own family than people do, in points.

    g = mean_{own}(s - h) - mean_{others}(s - h): a difference of differences, so that
    neither a lenient judge nor a family that people like counts as favour. A judge that
    uses less of the scale than people seems to favour whichever systems are worse. The
    variance is cluster-robust, from the residuals of both means.

    Args:
        judged: The judge's scores, shape (n,), on the scale of the people. NaN =
            missing; a text that lacks a score is left out.
        human: Mean human scores of the same texts. NaN = not rated.
        own: Which texts are by a system of the judge's family, bool.
        units: As in `flips`.
        level: Nominal coverage.

    Returns:
        n counts all texts with both scores. No value without texts of both kinds.
    """
    judged, human = _both(judged, human)
    own, units = np.asarray(own, bool), np.asarray(units)
    over = judged - human
    known = ~np.isnan(over)
    over, own, units = over[known], own[known], units[known]
    if own.all() or not own.any():
        return Estimate(None, n=len(over), reason=NO_FAMILY)
    mine, theirs = over[own].mean(), over[~own].mean()
    # Points whose mean is g, and whose residuals are those of the two means.
    weight = np.where(own, 1 / own.mean(), -1 / (~own).mean())
    points = mine - theirs + weight * (over - np.where(own, mine, theirs))
    return cluster_t.mean(points, units, level=level)


def _both(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {first.shape}, {second.shape}"
        )
    return first, second


def _cut(found: Estimate) -> Estimate:
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0))
