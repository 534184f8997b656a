"""Is one metric better than another, or is it chance?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy

from scoring.stats.correlation import pearson
from scoring.stats.counts import LEVEL, MIN_DEFINED, Estimate, estimate
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
    coarse: bool  # too few replicates for any test of the family to be significant


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


def paired_bootstrap(
    replicates_1: np.ndarray,
    replicates_2: np.ndarray,
    value_1: float | None,
    value_2: float | None,
    *,
    n: int,
    n_units: int,
    level: float = LEVEL,
) -> Difference:
    """Compare two numbers that were resampled together.

    d_b = first - second of the same replicate; its percentiles are the interval, and
    p = 2 min(#{d_b <= 0} + 1, #{d_b >= 0} + 1) / (B + 1), at most 1. The one test that
    holds for every statistic here, and for texts that share a prompt.

    Args:
        replicates_1: Of the one number, (B,), NaN = undefined.
        replicates_2: Of the other, from the same draws, (B,).
        value_1: The one number itself.
        value_2: The other number itself.
        n: Rows behind them.
        n_units: Units that were drawn.
        level: Of the interval.

    Returns:
        None with a reason if a value is missing, if there are fewer than two units,
        or where more than 5 % of the replicates are undefined.
    """
    d = np.asarray(replicates_1, np.float64) - np.asarray(replicates_2, np.float64)
    if value_1 is None or value_2 is None:
        which = "first" if value_1 is None else "second"
        reason = f"the {which} metric has no value"
        return Difference(Estimate(None, None, None, reason, n), None, reason)
    made = estimate(value_1 - value_2, d, n=n, n_units=n_units, level=level)
    if made.reason:
        return Difference(made, None, made.reason)
    return Difference(made, float(_bootstrap_p(d[:, np.newaxis])[0]), None)


def all_pairs(replicates: np.ndarray) -> np.ndarray:
    """Test each two metrics by the paired bootstrap.

    Args:
        replicates: One number per replicate and metric, from the same draws, (B, M);
            NaN = undefined.

    Returns:
        Two-sided p as in `paired_bootstrap`, symmetric, shape (M, M). NaN on the
        diagonal and where more than 5 % of the differences are undefined.
    """
    n_metrics = replicates.shape[1]
    p = np.full((n_metrics, n_metrics), np.nan)
    for i in range(n_metrics - 1):
        d = replicates[:, [i]] - replicates[:, i + 1 :]
        p[i, i + 1 :] = p[i + 1 :, i] = _bootstrap_p(d)
    return p


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
        p: From `all_pairs` or `perm_all`, (M, M), NaN = no test.
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
    smallest_p: float,
    alpha: float = ALPHA,
    correction: Correction = "holm",
) -> Comparison:
    """Adjust all tests of one table and rank its metrics.

    Args:
        values: Of each metric, higher is better, (M,), NaN = none.
        p: From `all_pairs` or `perm_all`, (M, M).
        smallest_p: What p can be at least: 2 / (B + 1) of B bootstrap replicates, or
            what `perm_all` says.
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
    factor = 1 if correction == "none" else max(1, family)
    return Comparison(p, adjusted, family, ranks, best, smallest_p * factor >= alpha)


def replicates_needed(family: int, alpha: float = ALPHA, *, tails: int = 2) -> int:
    """How many replicates Holm needs to be able to reject one test of the family.

    The smallest B with family * tails / (B + 1) < alpha; tails is 2 for the paired
    bootstrap and 1 for permutations.

    >>> replicates_needed(190, tails=1)
    3800
    """
    return math.floor(round(max(1, family) * tails / alpha, 6))


def _untested(reason: str, n: int) -> Test:
    return Test(None, None, None, reason, n)


def _bootstrap_p(d: np.ndarray) -> np.ndarray:
    """Two-sided p of each column of differences (B, P), NaN where few are defined."""
    defined = np.isfinite(d).sum(axis=0)
    low, high = (d <= SAME).sum(axis=0), (d >= -SAME).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(low, high) + 1) / (defined + 1))
    return np.where(defined < max(1, MIN_DEFINED * len(d)), np.nan, p)


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
