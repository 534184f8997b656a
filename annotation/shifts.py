"""How far a mean moves, with an interval. Functions of arrays, no Django."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

DRAWS = 2000
LEVEL = 0.95
# Below so many defined draws an interval would be that of the lucky ones.
MIN_DEFINED = 0.95


class Estimate(NamedTuple):
    """A number with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None  # why value, or else the interval, is None
    n: int  # values behind it


class Shift(NamedTuple):
    """A mean over some of the values against the mean over others."""

    before: float | None
    after: float | None
    delta: Estimate  # after minus before; n is that of after


def mean(
    values: np.ndarray, clusters: np.ndarray, rng: np.random.Generator
) -> Estimate:
    """Average values that come in clusters.

    Percentile bootstrap: whole clusters are drawn with replacement, because values of
    one text or one person go together.

    Args:
        values: Shape (n,), NaN = missing.
        clusters: To which cluster each belongs, shape (n,).
        rng: Draws `DRAWS` samples.

    Returns:
        The mean with its 95 % interval; no interval with fewer than two clusters.
    """
    kept = ~np.isnan(values)
    if not kept.any():
        return Estimate(None, None, None, "no rating to compare", 0)
    sums, n, _ = _by_cluster(values[kept], clusters[kept])
    value = float(values[kept].mean())
    if len(sums) < 2:
        return Estimate(value, None, None, "one cluster only", int(kept.sum()))
    weights = _weights(len(sums), rng)
    drawn = (weights @ sums) / (weights @ n)
    return Estimate(value, *_interval(drawn), None, int(kept.sum()))


def shift(
    values: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    clusters: np.ndarray,
    rng: np.random.Generator,
) -> Shift:
    """Compare the mean of the values that count after with that of those before.

    delta = mean of values[after] - mean of values[before], both from the same bootstrap
    sample of clusters: they share most of their values.

    Args:
        values: Shape (n,), no NaN.
        before, after: Which values count, bool, shape (n,).
        clusters: To which cluster each belongs, shape (n,).
        rng: Draws `DRAWS` samples.
    """
    n_after = int(after.sum())
    old = float(values[before].mean()) if before.any() else None
    new = float(values[after].mean()) if n_after else None
    if old is None or new is None:
        reason = "nothing counts before" if old is None else "nothing is left"
        return Shift(old, new, Estimate(None, None, None, reason, n_after))
    delta = new - old
    sums, counts, n_clusters = _sums_of(values, (before, after), clusters)
    if n_clusters < 2:
        reason = "pages of one worker only"
        return Shift(old, new, Estimate(delta, None, None, reason, n_after))
    weights = _weights(n_clusters, rng)
    with np.errstate(invalid="ignore"):
        means = [
            (weights @ s) / (weights @ c) for s, c in zip(sums, counts, strict=True)
        ]
    drawn = means[1] - means[0]
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < MIN_DEFINED * DRAWS:
        reason = "too few workers whose pages count"
        return Shift(old, new, Estimate(delta, None, None, reason, n_after))
    return Shift(old, new, Estimate(delta, *_interval(drawn), None, n_after))


def _sums_of(
    values: np.ndarray, masks: tuple[np.ndarray, ...], clusters: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray], int]:
    names, at = np.unique(clusters, return_inverse=True)
    sums = [np.bincount(at, values * mask, len(names)) for mask in masks]
    counts = [np.bincount(at, mask, len(names)) for mask in masks]
    return sums, counts, len(names)


def _by_cluster(
    values: np.ndarray, clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    sums, counts, n = _sums_of(values, (np.ones(len(values)),), clusters)
    return sums[0], counts[0], n


def _weights(n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of n clusters is drawn, shape (DRAWS, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(float)


def _interval(drawn: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
