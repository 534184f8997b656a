"""Intervals of shares, such as F, from the jackknife; and of their differences.

A share near 0 or 1 of few prompts is skewed: t on its own scale covers as little as
0.69 with 15 prompts. On log odds, with the longer tail stretched and with degrees of
freedom of what the prompts really show, it holds from five prompts on
(benchmarks/coverage_of_marks.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy  # loads scipy.optimize when it is first used

from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.inversion import (
    SECOND_ORDER,
    by_longer_tail,
    own_degrees,
    skewness,
)
from scoring.stats.jackknife import Jackknifed

LEAST = 5  # prompts that move the number, from which on coverage holds in simulation
FEW_PROMPTS = f"an interval needs {LEAST} prompts with marks that count here"
AT_END = "it is 0 or 1, or would be without one of the prompts"
SMALLEST = 1e-12  # of p


@dataclass(frozen=True, slots=True)
class Odds:
    """A share on log odds: what its limits are made of."""

    value: float
    z: float
    se: float
    df: float
    skewness: float

    def limits(self, tail: float) -> tuple[float, float]:
        """Each leaves out so much probability; 0.5 gives the share itself."""
        numbers = map(np.asarray, (self.z, self.se, self.df, self.skewness))
        z = by_longer_tail(*numbers, stretch=SECOND_ORDER, level=1 - 2 * tail)
        return _share(float(z.low)), _share(float(z.high))


def estimate(
    of: Jackknifed, *, n: int, reason: str | None = None, level: float = LEVEL
) -> Estimate:
    """One share with its interval.

    z = log(f / (1 - f)) of the share and of each replicate, Var = sum_b factor_b d_b^2
    of the deviations d of z, t of the lesser of the replicates' degrees of freedom and
    `inversion.own_degrees`, with the longer tail stretched (`by_longer_tail`).

    Args:
        of: One share, of shape ().
        n: Rows behind it.
        reason: Why it is None, where its value is NaN.
        level: Nominal coverage.

    Returns:
        Limits in (0, 1); none with fewer than five prompts that move it, or where it is
        0 or 1, or would be without one of them.
    """
    if np.isnan(of.value):
        return Estimate(None, n=n, reason=reason)
    odds = on_odds(of)
    if isinstance(odds, str):
        return Estimate(float(of.value), n=n, reason=odds)
    low, high = odds.limits((1 - level) / 2)
    return Estimate(odds.value, low, high, n)


def on_odds(of: Jackknifed) -> Odds | str:
    """A share on log odds, or why it has no interval."""
    if len(of.deviation) < LEAST or of.n_units < LEAST:
        return FEW_PROMPTS
    with np.errstate(divide="ignore", invalid="ignore"):
        z = _log_odds(of.value)
        deviation = z - _log_odds(of.value - of.deviation)
    if not np.isfinite(deviation).all():
        return AT_END
    se = float(np.sqrt((of.factor * deviation**2).sum()))
    df = min(float(of.df), own_degrees(deviation))
    a = float(skewness(deviation, of.n_units))
    return Odds(float(of.value), float(z), se, df, a)


def difference(
    first: Jackknifed,
    second: Jackknifed,
    *,
    n: int,
    reason: str | None = None,
    level: float = LEVEL,
    with_p: bool = True,
) -> tuple[Estimate, float | None, str | None]:
    """First minus second of two shares of the same units, with interval and p.

    MOVER (Zou and Donner 2008, "Construction of confidence limits about effect
    measures", Statistics in Medicine 27): with the limits l and u of each share,

        low = d - sqrt(a^2 - 2 r a b + b^2), a = f_1 - l_1, b = u_2 - f_2,

    high likewise of the other limits, and r the correlation of what the units move the
    shares by. p is twice the tail whose limit is 0, so it is below 0.05 exactly where
    the interval leaves out 0.

    Args:
        first: Of shape (), from the same units as the second.
        second: Likewise.
        n: Rows behind them.
        reason: Why one of them is None, where one is.
        level: Nominal coverage.
        with_p: False saves the search for p.

    Returns:
        The estimate, two-sided p, and why p is None: as in `estimate`, of either.
    """
    apart = float(first.value - second.value)
    if np.isnan(apart):
        return Estimate(None, n=n, reason=reason), None, reason
    left, right = on_odds(first), on_odds(second)
    if isinstance(left, str) or isinstance(right, str):
        why = left if isinstance(left, str) else str(right)
        return Estimate(apart, n=n, reason=why), None, why
    limits = partial(_apart, left, right, _correlation(first, second))
    low, high = limits((1 - level) / 2)
    p = _p(apart, limits) if with_p else None
    return Estimate(apart, low, high, n), p, None


def _apart(left: Odds, right: Odds, r: float, tail: float) -> tuple[float, float]:
    """Limits of the difference, of which each leaves out so much probability."""
    (low, high), (lower, higher) = left.limits(tail), right.limits(tail)
    down = _joined(left.value - low, higher - right.value, r)
    up = _joined(high - left.value, right.value - lower, r)
    apart = left.value - right.value
    return apart - down, apart + up


def _p(apart: float, limits: Callable[[float], tuple[float, float]]) -> float:
    """Twice the tail whose limit is 0."""
    side = 0 if apart > 0 else 1

    def beyond(log_tail: float) -> float:
        return limits(float(np.exp(log_tail)))[side] * (1 if apart > 0 else -1)

    ends = np.log(SMALLEST / 2), np.log(0.5)
    if beyond(ends[1]) <= 0:
        return 1.0
    if beyond(ends[0]) >= 0:
        return SMALLEST
    return float(2 * np.exp(scipy.optimize.brentq(beyond, *ends)))


def _joined(a: float, b: float, r: float) -> float:
    return float(np.sqrt(max(0.0, a * a - 2 * r * a * b + b * b)))


def _correlation(first: Jackknifed, second: Jackknifed) -> float:
    x, y = first.deviation, second.deviation
    spread = np.sqrt((x**2).sum() * (y**2).sum())
    return float((x * y).sum() / spread) if spread else 0.0


def _log_odds(share: np.ndarray) -> np.ndarray:
    odds: np.ndarray = np.log(share / (1 - share))
    return odds


def _share(z: float) -> float:
    return float(scipy.special.expit(z))
