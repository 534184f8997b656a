"""Statistics of many groups of rows at once, as sums by group."""

from __future__ import annotations

import numpy as np

from scoring.stats import correlation
from scoring.stats.correlation import MIN_PAIRS, Coefficient

NAMES = ("own ratings", "the others")


def means(x: np.ndarray, group: np.ndarray, size: int) -> np.ndarray:
    """Mean of each group, NaN where it is empty."""
    n = np.bincount(group, minlength=size)
    total = np.bincount(group, x, size)
    return np.divide(total, n, out=np.full(size, np.nan), where=n > 0)


def variance(n: np.ndarray, total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Variance of a sample from its sums; NaN for fewer than two, 0 if it is noise."""
    found = squares - total**2 / np.maximum(n, 1)
    found[found <= 1e-12 * squares] = 0
    return np.divide(found, n - 1, out=np.full(len(n), np.nan), where=n > 1)


def correlations(
    x: np.ndarray, y: np.ndarray, group: np.ndarray, size: int, coefficient: str
) -> list[Coefficient]:
    """Correlate own ratings x with those of the others y, within each group.

    As `correlation`, all groups at once where that can be done.

    Args:
        x: Shape (n,), without gaps.
        y: Shape (n,), without gaps.
        group: 0, ..., size - 1, shape (n,).
        size: Number of groups.
        coefficient: "pearson", "spearman" or "kendall".
    """
    if coefficient == "kendall":
        order = np.argsort(group, kind="stable")
        parts = np.split(order, np.searchsorted(group[order], np.arange(1, size)))
        return [correlation.kendall(x[part], y[part], NAMES) for part in parts[:size]]
    sides = [x, y]
    if coefficient == "spearman":
        sides = [_ranks(side, group) for side in sides]
    n = np.bincount(group, minlength=size)
    away = [side - means(side, group, size)[group] for side in sides]
    xx, yy = (np.bincount(group, part**2, size) for part in away)
    xy = np.bincount(group, away[0] * away[1], size)
    flat = [_flat(side, group, size) for side in sides]
    r = np.divide(xy, np.sqrt(xx * yy), out=np.zeros(size), where=xx * yy > 0)
    return [
        _coefficient(float(value), int(k), bool(fx), bool(fy))
        for value, k, fx, fy in zip(r, n, *flat, strict=True)
    ]


def _coefficient(r: float, n: int, flat_x: bool, flat_y: bool) -> Coefficient:
    if n < MIN_PAIRS:
        return Coefficient(None, f"fewer than {MIN_PAIRS} pairs of scores", n)
    if flat_x:
        return Coefficient(None, f"{NAMES[0]}: all the same", n)
    if flat_y:
        return Coefficient(None, f"{NAMES[1]}: all the same", n)
    return Coefficient(min(1.0, max(-1.0, r)), None, n)


def _flat(x: np.ndarray, group: np.ndarray, size: int) -> np.ndarray:
    """Whether a group has one value only, but for rounding."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, group, x)
    np.maximum.at(high, group, x)
    return high - low <= 1e-12 * np.maximum(np.abs(low), np.abs(high))


def _ranks(x: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Ranks within groups, up to a constant of each; equal values share theirs."""
    order = np.lexsort((x, group))
    new = np.ones(len(x), bool)
    new[1:] = (np.diff(x[order]) != 0) | (np.diff(group[order]) != 0)
    run = np.cumsum(new) - 1
    ranks = np.empty(len(x))
    ranks[order] = means(np.arange(len(x), dtype=float), run, run.max(initial=-1) + 1)[
        run
    ]
    return ranks
