"""Interval and p-values of a number with a standard error, from the same inversion.

So p < 0.05 exactly where the 95 % interval leaves out the null value, and p is as valid
far out in the tails, which corrections for many tests need, as t is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.counts import LEVEL

# A standard error this small beside its value is rounding.
ROUNDING = 1e-12
# Of the longer tail, in parts of the skewness: that of the second-order term of T; and
# on Fisher's z, which takes a part of the skewness out, what covers best in simulation
# (benchmarks/coverage_of_intervals.md).
SECOND_ORDER, ON_Z = 2 / 3, 0.4


class Inverted(NamedTuple):
    """Limits and p of numbers of one shape; NaN where there is no standard error."""

    low: np.ndarray
    high: np.ndarray
    p: np.ndarray  # two-sided
    greater: np.ndarray  # of "at most the null": small where the value is above it
    less: np.ndarray  # of "at least the null"


def by_t(
    value: np.ndarray,
    se: np.ndarray,
    df: np.ndarray,
    *,
    null: float = 0.0,
    level: float = LEVEL,
) -> Inverted:
    """Student's t: value +- t_df se, and p of (value - null) / se.

    Args:
        value: Numbers, of any shape.
        se: Standard errors; 0 up to rounding, or NaN, has no limits and no p.
        df: Degrees of freedom, at least 1.
        null: Value under the hypothesis.
        level: Nominal coverage.

    >>> [round(float(x), 3) for x in by_t(np.array(2.0), np.array(0.8), np.array(9))]
    [0.19, 3.81, 0.034, 0.017, 0.983]
    """
    return by_hall(value, se, df, np.zeros(()), null=null, level=level)


def by_hall(
    value: np.ndarray,
    se: np.ndarray,
    df: np.ndarray,
    skewness: np.ndarray,
    *,
    null: float = 0.0,
    level: float = LEVEL,
) -> Inverted:
    """Student's t without the part that skewness has in it.

    g(t) = t + a t^2 / 3 + a^2 t^3 / 27 + a / 6 undoes the first term of
    P(T <= t) = Phi(t) + a (2 t^2 + 1) phi(t) / 6 + ... (Hall 1992, "On the removal of
    skewness by transformation"), with a the skewness of the units over the root of
    their number. g rises everywhere and g(t) = ((1 + a t / 3)^3 - 1) / a + a / 6, so
    that its inverse is a cube root. g(T) is compared with t of df: of simulated
    coverages the normal one was too low.

    Args:
        value: As in `by_t`.
        se: As in `by_t`.
        df: As in `by_t`.
        skewness: a, of each number; 0 is `by_t`.
        null: As in `by_t`.
        level: As in `by_t`.
    """
    value, se, df, a = np.broadcast_arrays(value, se, df, skewness)
    return _inverted(
        (value, se, df),
        lambda t: _transformed(t, a),
        lambda quantile: _inverse(quantile, a),
        null,
        level,
    )


def by_longer_tail(
    value: np.ndarray,
    se: np.ndarray,
    df: np.ndarray,
    skewness: np.ndarray,
    *,
    stretch: float,
    null: float = 0.0,
    level: float = LEVEL,
) -> Inverted:
    """Student's t with its longer tail stretched, and the shorter one as it is.

    Where T has the longer tail, g(T) = log(1 + k |T|) / k with k = stretch |a|, a as in
    `by_hall`; else g(T) = T. So p is never below that of t, as it is in Hall's
    transformation on the short side, and never stuck, as there on the long side, where
    the cube is flat about t = -3 / a.

    Args:
        value: As in `by_t`.
        se: As in `by_t`.
        df: As in `by_t`.
        skewness: a, of each number; 0 is `by_t`.
        stretch: `SECOND_ORDER` on the natural scale, `ON_Z` on Fisher's z.
        null: As in `by_t`.
        level: As in `by_t`.
    """
    value, se, df, a = np.broadcast_arrays(value, se, df, skewness)
    k = np.maximum(stretch * np.abs(a), 1e-12)

    def shrunk(t: np.ndarray) -> np.ndarray:
        return np.where(a * t < 0, np.sign(t) * np.log1p(k * np.abs(t)) / k, t)

    def stretched(g: np.ndarray) -> np.ndarray:
        return np.where(a * g < 0, np.sign(g) * np.expm1(k * np.abs(g)) / k, g)

    return _inverted((value, se, df), shrunk, stretched, null, level)


Function = Callable[[np.ndarray], np.ndarray]


def _inverted(
    numbers: tuple[np.ndarray, np.ndarray, np.ndarray],
    g: Function,
    inverse: Function,
    null: float,
    level: float,
) -> Inverted:
    """Limits and p where g of (value - truth) / se has the t distribution of df."""
    value, se, df = numbers
    se = np.where(se > ROUNDING * np.maximum(1e-3, np.abs(value)), se, np.nan)
    df = np.where(df >= 1, df, np.nan)
    t = scipy.stats.t
    with np.errstate(invalid="ignore", over="ignore"):
        quantile = t.isf((1 - level) / 2, df)
        low, high = (value - inverse(side * quantile) * se for side in (1, -1))
        statistic = g((value - null) / se)
        greater, less = t.sf(statistic, df), t.cdf(statistic, df)
    return Inverted(low, high, 2 * np.minimum(greater, less), greater, less)


def skewness(deviation: np.ndarray, n: np.ndarray) -> np.ndarray:
    """What `by_hall` takes: skewness of units over the root of their number.

    g = sqrt(n (n - 1)) / (n - 2) * mean d^3 / (mean d^2)^1.5, over sqrt(n).

    Args:
        deviation: Of each unit, up to a factor, (U, ...); 0 where it has no part.
        n: Units that have a part, (...).

    Returns:
        (...); 0 with fewer than three units or without spread.
    """
    n = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = (deviation**2).sum(axis=0) / n
        g = (deviation**3).sum(axis=0) / n / square**1.5
        g = g * np.sqrt(n * (n - 1)) / (n - 2)
        return np.where((n > 2) & np.isfinite(g), g / np.sqrt(n), 0.0)


def own_degrees(deviation: np.ndarray) -> float:
    """Degrees of freedom that a variance has by what its units show.

    2 V^2 / Var(V) with V = sum d^2: 2 s_2^2 / (s_4 - s_2^2 / B), s_k = sum |d|^k. About
    the number of units where they are normal, few where some of them decide.

    Args:
        deviation: Of each unit, up to a factor, (B,).

    Returns:
        1 or more; inf where all units are as far off.
    """
    second, fourth = (deviation**2).sum(), (deviation**4).sum()
    spread = fourth - second**2 / len(deviation)
    if spread <= ROUNDING * second**2:
        return np.inf
    return max(1.0, float(2 * second**2 / spread))


def _transformed(t: np.ndarray, a: np.ndarray) -> np.ndarray:
    found: np.ndarray = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
    return found


def _inverse(g: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The t of which g is the transformation."""
    flat = np.abs(a) < 1e-9
    safe = np.where(flat, 1.0, a)
    root = np.cbrt(1 + safe * (g - safe / 6))
    found: np.ndarray = np.where(flat, g, 3 * (root - 1) / safe)
    return found
