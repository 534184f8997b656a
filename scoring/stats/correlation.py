"""Correlation of two sets of scores with gaps: Pearson, Spearman, Kendall's tau-b."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

# Two points always lie on a line: r = 1 or -1 by construction.
MIN_PAIRS = 3

COEFFICIENTS = ("pearson", "spearman", "kendall")

Names = tuple[str, str]


class Coefficient(NamedTuple):
    """A coefficient, or why there is none, and the number of pairs behind it."""

    value: float | None  # [-1, 1]
    reason: str | None  # why value is None
    n: int  # pairs in which neither is missing


def pearson(x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")) -> Coefficient:
    """Correlate two sets of scores as they are.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2).

    Args:
        x, y: Scores of the same texts, shape (n,). NaN = missing; a pair with a
            missing score is left out.
        names: What x and y are, for the reason.

    Returns:
        r in [-1, 1]; None with a reason if fewer than 3 pairs are left, or if one
        side is constant or infinite. Linear: an outlier counts for much.

    >>> pearson(np.array([1, 2, 3, np.nan]), np.array([2, 4, 7, 1]))
    Coefficient(value=0.9933992677987828, reason=None, n=3)
    """
    return _coefficient("pearsonr", x, y, names)


def spearman(x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")) -> Coefficient:
    """Correlate the ranks of two sets of scores.

    rho = Pearson's r of the ranks; equal scores share the mean of their ranks.

    Args:
        x, y, names: As in `pearson`.

    Returns:
        rho in [-1, 1], or None with a reason as in `pearson`.
    """
    return _coefficient("spearmanr", x, y, names)


def kendall(x: np.ndarray, y: np.ndarray, names: Names = ("x", "y")) -> Coefficient:
    """Compare the order of each pair of texts in two sets of scores.

    tau-b = (C - D) / sqrt((C + D + T_x)(C + D + T_y)), where C pairs of texts are in
    the same order, D in opposite order, and T_x (T_y) are equal in x (y) only.

    Args:
        x, y, names: As in `pearson`.

    Returns:
        tau-b in [-1, 1], or None with a reason as in `pearson`.
    """
    return _coefficient("kendalltau", x, y, names)


def _coefficient(
    function: str, x: np.ndarray, y: np.ndarray, names: Names
) -> Coefficient:
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {x.shape}, {y.shape}"
        )
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if reason := _undefined(x, y, names):
        return Coefficient(None, reason, len(x))
    # Rounding may carry a perfect correlation just past 1.
    value = float(np.clip(getattr(scipy.stats, function)(x, y).statistic, -1, 1))
    if np.isnan(value):
        return Coefficient(None, "the scores are too large to compute with", len(x))
    return Coefficient(value, None, len(x))


def _undefined(x: np.ndarray, y: np.ndarray, names: Names) -> str | None:
    if len(x) < MIN_PAIRS:
        return f"fewer than {MIN_PAIRS} pairs of scores"
    for scores, name in zip((x, y), names, strict=True):
        if np.isinf(scores).any():
            return f"{name}: some are infinite"
        # Differences this small are rounding, and would give any correlation.
        if np.ptp(scores) <= 1e-12 * np.abs(scores).max():
            return f"{name}: all the same"
    return None
