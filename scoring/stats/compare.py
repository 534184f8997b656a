"""Is one metric better than another, or is it chance?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy

from scoring.stats.correlation import pearson
from scoring.stats.estimates import Estimate
from scoring.stats.permutation import PermTest as PermTest
from scoring.stats.permutation import perm_all as perm_all
from scoring.stats.permutation import perm_both as perm_both

ALPHA = 0.05
SAME = 1e-12  # differences this small are rounding
MIN_ROWS = 4

Correction = Literal["holm", "bh", "none"]


class Test(NamedTuple):
    """A statistic with its two-sided p, or why there is none."""

    statistic: float | None  # t > 0: the first metric correlates higher
    p: float | None  # [0, 1]
    df: int | None
    reason: str | None
    n: int


class Difference(NamedTuple):
    """First minus second metric, with its interval and two-sided p."""

    estimate: Estimate
    p: float | None
    reason: str | None  # why p is None


class Comparison(NamedTuple):
    """All metrics of one table against each other; M metrics in the order given."""

    p: np.ndarray  # (M, M) symmetric, NaN = no test
    adjusted: np.ndarray  # (M, M), p corrected for the family
    family: int  # tests that were corrected for
    ranks: tuple[int | None, ...]  # 1 = best cluster; None = no value
    best: int | None  # the metric that beats all others, if there is one


def williams(r12: float, r13: float, r23: float, n: int) -> Test:
    """Test whether two metrics correlate differently with the same human scores.

    t = (r12 - r13) sqrt((n-1)(1+r23) / (2K(n-1)/(n-3) + (r12+r13)^2 (1-r23)^3 / 4)),
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23, with n - 3 degrees of freedom
    (Williams 1959; Graham & Baldwin 2014, https://aclanthology.org/D14-1020).
    Approximate, and for Pearson's r of independent samples only: not for means over
    groups, and not for several texts of one prompt.

    Args:
        r12: Correlation of metric 1 with people, in [-1, 1].
        r13: Correlation of metric 2 with people, in [-1, 1].
        r23: Correlation between the two metrics.
        n: Texts behind all three: those that have all three scores.

    Returns:
        t and the two-sided p; t > 0 where metric 1 correlates higher. None with a
        reason if n < 4, if r23 = 1, or if the three cannot come from the same texts.

    Raises:
        ValueError: If a correlation is outside [-1, 1].

    >>> round(williams(0.6, 0.4, 0.3, 50).p, 6)
    0.151586
    """
    if not all(-1 - SAME <= r <= 1 + SAME for r in (r12, r13, r23)):
        raise ValueError(f"expected correlations, got {r12}, {r13}, {r23}")
    if n < MIN_ROWS:
        return _untested(f"fewer than {MIN_ROWS} texts with all three scores", n)
    if r23 >= 1 - SAME:
        return _untested("the two metrics are the same up to their scale", n)
    K = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if K < -1e-9:
        return _untested("the correlations are not of the same texts", n)
    below = 2 * max(K, 0.0) * (n - 1) / (n - 3)
    below += ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= SAME:
        return _untested("the correlations are too perfect to test", n)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / math.sqrt(below)
    p = 2 * float(scipy.stats.t.sf(abs(t), n - 3))
    return Test(t, min(1.0, p), n - 3, None, n)


def williams_of(x1: np.ndarray, x2: np.ndarray, z: np.ndarray) -> Test:
    """Do `williams` on the texts that have all three scores.

    Args:
        x1: Scores of metric 1, shape (n,), NaN = missing.
        x2: Scores of metric 2 of the same texts, likewise.
        z: Human scores of the same texts.
    """
    x1, x2, z = (np.asarray(scores, np.float64) for scores in (x1, x2, z))
    known = ~(np.isnan(x1) | np.isnan(x2) | np.isnan(z))
    x1, x2, z = x1[known], x2[known], z[known]
    names = ("first metric", "second metric", "human scores")
    found = [
        pearson(x1, z, (names[0], names[2])),
        pearson(x2, z, (names[1], names[2])),
        pearson(x1, x2, (names[0], names[1])),
    ]
    for r in found:
        if r.value is None:
            return _untested(str(r.reason), len(z))
    r12, r13, r23 = (float(r.value or 0.0) for r in found)
    return williams(r12, r13, r23, len(z))


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust p-values so that one false alarm in the whole family is rare.

    p'_(i) = max over j <= i of min(1, (m - j + 1) p_(j)), sorted upwards (Holm 1979).
    No assumption on how the tests depend on each other.

    Args:
        p: Of the whole family, of any shape; NaN = no test, is not counted in m.
            Give each pair once: not a symmetric matrix (`adjust` takes that).
    """
    adjusted, known, order = _sorted(p)
    m = len(order)
    scaled = np.minimum(1, (m - np.arange(m)) * adjusted[known][order])
    return _unsorted(adjusted, known, order, np.maximum.accumulate(scaled))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjust p-values so that few of the alarms are false.

    p'_(i) = min over j >= i of min(1, m p_(j) / j), sorted upwards (Benjamini &
    Hochberg 1995): the expected share of false alarms among all is held, for tests
    that are independent or positively dependent.

    Args:
        p: As in `holm`.
    """
    adjusted, known, order = _sorted(p)
    m = len(order)
    scaled = np.minimum(1, m / np.arange(1, m + 1) * adjusted[known][order])
    low = np.minimum.accumulate(scaled[::-1])[::-1]
    return _unsorted(adjusted, known, order, low)


RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": np.array,
}


def adjust(p: np.ndarray, correction: Correction = "holm") -> tuple[np.ndarray, int]:
    """Adjust a symmetric matrix of p-values, each pair once.

    Args:
        p: From `jackknife.all_pairs` or `perm_all`, (M, M), NaN = no test.
        correction: "holm", "bh" or "none".

    Returns:
        The matrix, and how many tests the family has.
    """
    if correction not in RULES:
        raise ValueError(f"correction {correction!r}: expected one of {list(RULES)}")
    upper = np.triu_indices(len(p), 1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[upper] = RULES[correction](p[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted, int(np.isfinite(p[upper]).sum())


def clusters(
    values: np.ndarray, p_adjusted: np.ndarray, alpha: float = ALPHA
) -> tuple[int | None, ...]:
    """Rank metrics so that a rank differs only where a test says so.

    Best first, a metric opens the next rank iff one of the current rank beats it with
    p < alpha (as the WMT metrics task does; there p <= alpha).

    Args:
        values: Higher is better, (M,); NaN = none.
        p_adjusted: Two-sided, (M, M), NaN = no test: then neither beats the other.
        alpha: Level of the whole family.

    Returns:
        Ranks from 1; None where a metric has no value.
    """
    values = np.asarray(values, np.float64)
    ranks: list[int | None] = [None] * len(values)
    rank = 1
    current: list[int] = []
    for metric in np.argsort(-values, kind="stable"):
        if np.isnan(values[metric]):
            continue
        if any(p_adjusted[other, metric] < alpha for other in current):
            rank, current = rank + 1, []
        current.append(metric)
        ranks[metric] = rank
    return tuple(ranks)


def compare_all(
    values: np.ndarray,
    p: np.ndarray,
    *,
    alpha: float = ALPHA,
    correction: Correction = "holm",
) -> Comparison:
    """Adjust all tests of one table and rank its metrics.

    Args:
        values: Of each metric, higher is better, (M,), NaN = none.
        p: Valid in its tails, as of `jackknife.all_pairs` or `perm_all`, (M, M).
        alpha: Level of the whole family.
        correction: As in `adjust`.
    """
    adjusted, family = adjust(p, correction)
    values = np.asarray(values, np.float64)
    ranks = clusters(values, adjusted, alpha)
    best = None
    if np.isfinite(values).any():
        top = int(np.nanargmax(values))
        others = np.isfinite(values) & (np.arange(len(values)) != top)
        best = top if others.any() and (adjusted[top, others] < alpha).all() else None
    return Comparison(p, adjusted, family, ranks, best)


def _untested(reason: str, n: int) -> Test:
    return Test(None, None, None, reason, n)


def _sorted(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p = np.array(p, np.float64)
    known = ~np.isnan(p)
    return p, known, np.argsort(p[known], kind="stable")


def _unsorted(
    p: np.ndarray, known: np.ndarray, order: np.ndarray, adjusted: np.ndarray
) -> np.ndarray:
    found = np.empty(len(order))
    found[order] = adjusted
    p[known] = found
    return p
