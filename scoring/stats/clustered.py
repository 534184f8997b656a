"""A share of texts, some of which share a prompt, with its interval.

For numbers that rest on a handful of texts, such as those damaged in one way: of ten
successes in ten t would say "1, no doubt". Means have `cluster_t.mean`.
"""

from __future__ import annotations

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate

LEAST_UNITS = 3  # Wilson's interval covers from here on
FEW_UNITS = f"an interval needs {LEAST_UNITS} prompts"
NO_VALUE = "no value"
ROUNDING = 1e-24  # a variance of equal points


def share(
    points: np.ndarray,
    units: np.ndarray,
    *,
    level: float = LEVEL,
    reason: str = NO_VALUE,
) -> Estimate:
    """Average points in [0, 1], and give Wilson's interval for the effective size.

    With p the mean of the points and var(p) = U / (U - 1) sum_u (sum_{i in u} (v_i -
    p))^2 / n^2 over the U units (Liang and Zeger 1986), the design effect of points
    that share units is D = var(p) / (p (1 - p) / (n - 1)), and they are worth
    n* = n / D (t_{n - 1} / t_{U - 1})^2 independent ones, and no more than n (Korn and
    Graubard 1998; compared by Dean and Pagano 2015). Where all points are equal they
    are worth one for each unit. The limits are those of Wilson
    (1927): (p + z^2 / 2n* +- z sqrt(p (1 - p) / n* + z^2 / 4n*^2)) / (1 + z^2 / n*).

    Args:
        points: Shape (n,), 1 = yes, 0 = no, 0.5 = a tie; NaN = missing and left out.
        units: What shares something, mostly the prompt, shape (n,).
        level: Nominal coverage.
        reason: Why there is no value, where there is none.

    Returns:
        In [0, 1]. No interval with fewer than three units.

    >>> [round(end, 3) for end in share(np.ones(5), np.arange(5))[:3]]
    [1.0, 0.566, 1.0]
    """
    points, units = _known(points, units)
    n = len(points)
    if n == 0:
        return Estimate(None, n=0, reason=reason)
    p = float(points.mean())
    if len(np.unique(units)) < LEAST_UNITS:
        return Estimate(p, n=n, reason=FEW_UNITS)
    worth = _worth(points, units, level)
    z = float(scipy.stats.norm.isf((1 - level) / 2)) ** 2
    middle = (p + z / (2 * worth)) / (1 + z / worth)
    half = (z * p * (1 - p) / worth + (z / (2 * worth)) ** 2) ** 0.5 / (1 + z / worth)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    # By rounding an end may pass the value itself.
    return Estimate(p, min(low, p), max(high, p), n)


def p_of_share(
    points: np.ndarray, units: np.ndarray, null: float = 0.5
) -> float | None:
    """Two-sided p of a share: below 0.05 where its 95 % interval leaves out the null.

    The score test that Wilson's interval inverts, z = (p - null) / sqrt(null (1 - null)
    / n*), with n* of `share`. None with fewer than three units.
    """
    points, units = _known(points, units)
    if len(np.unique(units)) < LEAST_UNITS:
        return None
    worth = _worth(points, units, LEVEL)
    z = (float(points.mean()) - null) / (null * (1 - null) / worth) ** 0.5
    return float(2 * scipy.stats.norm.sf(abs(z)))


def _worth(points: np.ndarray, units: np.ndarray, level: float) -> float:
    """How many independent points these are worth."""
    n, p = len(points), float(points.mean())
    variance, n_units = _variance(points - p, units)
    if variance <= ROUNDING:
        return float(n_units)
    design = variance / (p * (1 - p) / (n - 1))
    fewer = (_t(n - 1, level) / _t(n_units - 1, level)) ** 2
    return float(min(n, n / design * fewer))


def _known(values: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, units = np.asarray(values, np.float64), np.asarray(units)
    if values.shape != units.shape or values.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {values.shape}, {units.shape}"
        )
    kept = ~np.isnan(values)
    return values[kept], units[kept]


def _variance(residuals: np.ndarray, units: np.ndarray) -> tuple[float, int]:
    """Variance of the mean, from the sums of units, and how many units there are."""
    _, at = np.unique(units, return_inverse=True)
    sums = np.bincount(at.reshape(-1), residuals)
    n_units, n = len(sums), len(residuals)
    more = n_units / (n_units - 1) if n_units > 1 else 1.0
    return float((sums**2).sum()) * more / n**2, n_units


def _t(degrees: int, level: float) -> float:
    return float(scipy.stats.t.isf((1 - level) / 2, degrees))
