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


class Bootstrap:
    """Samples of whole clusters, with replacement: the same ones for each number.

    Values of one text or one person go together, so they are drawn together. Intervals
    are those of the percentiles.
    """

    def __init__(self, clusters: np.ndarray, rng: np.random.Generator) -> None:
        """`clusters` says to which one each value belongs, shape (n,)."""
        names, self.at = np.unique(clusters, return_inverse=True)
        self.n = len(names)
        # How often each is drawn.
        even = np.full(self.n, 1 / max(self.n, 1))
        self.weights = rng.multinomial(self.n, even, size=DRAWS).astype(float)

    def mean(self, values: np.ndarray) -> Estimate:
        """Average values, shape (n,); NaN = missing.

        Returns:
            The mean with its 95 % interval; none with fewer than two clusters.
        """
        kept = ~np.isnan(values)
        n = int(kept.sum())
        if not n:
            return Estimate(None, None, None, "no rating to compare", 0)
        value = float(values[kept].mean())
        drawn, n_clusters = self._means(np.nan_to_num(values), kept)
        return _estimate(value, drawn, n, n_clusters, "one survey only")

    def shift(self, values: np.ndarray, before: np.ndarray, after: np.ndarray) -> Shift:
        """Compare the mean of the values that count after with that of those before.

        delta = mean of values[after] - mean of values[before], both from the same
        samples: they share most of their values.

        Args:
            values: Shape (n,), no NaN.
            before, after: Which values count, bool, shape (n,).
        """
        n = int(after.sum())
        old = float(values[before].mean()) if before.any() else None
        new = float(values[after].mean()) if n else None
        if old is None or new is None:
            reason = "nothing counts before" if old is None else "nothing is left"
            return Shift(old, new, Estimate(None, None, None, reason, n))
        then, _ = self._means(values, after)
        first, n_clusters = self._means(values, before)
        reason = "pages of one worker only"
        delta = _estimate(new - old, then - first, n, n_clusters, reason)
        return Shift(old, new, delta)

    def _means(self, values: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, int]:
        """The mean in each sample, NaN where it lacks all; clusters with any."""
        sums = np.bincount(self.at, values * kept, self.n)
        counts = np.bincount(self.at, kept, self.n)
        with np.errstate(invalid="ignore"):
            drawn = (self.weights @ sums) / (self.weights @ counts)
        return drawn, int((counts > 0).sum())


def _estimate(
    value: float, drawn: np.ndarray, n: int, n_clusters: int, alone: str
) -> Estimate:
    """With the interval of the samples; `alone` says why there is none of one."""
    if n_clusters < 2:
        return Estimate(value, None, None, alone, n)
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < MIN_DEFINED * DRAWS:
        return Estimate(value, None, None, "too few that count", n)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high), None, n)
