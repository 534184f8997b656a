"""Variance components by Henderson's method I, also of many resamples at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.sparse when it is first used

from scoring.stats.components.levels import RESIDUAL

# Resamples that are computed at once: a few megabytes for each effect.
SLAB = 100
# A system of equations worse than this cannot tell its effects apart.
CONDITION = 1e10
_MEAN = "mean"


def henderson(value: np.ndarray, levels: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Estimate the variance of each effect, all of them random.

    With T_a = sum over the levels of effect a of (sum of its values)^2 / n, the mean
    and the single ratings among the effects:
    E T_a = N mu^2 + sum_b K_ab sigma_b^2, K_ab = sum_ij n_ij^2 / n_i,
    n_ij the number of ratings that have level i of a and j of b; the equations are
    solved for sigma^2 (Henderson 1953, method I; Searle, Casella and McCulloch 1992;
    Brennan 2001). Unbiased for crossed and nested effects,
    balanced or not. An estimate may be below 0.

    Args:
        value: Ratings, (n,), without gaps.
        levels: By effect, the level of each rating, (n,) int64 from 0.

    Returns:
        By effect, and RESIDUAL; in squared units of the ratings. NaN each where the
        effects cannot be told apart.

    Raises:
        ValueError: If the lengths differ.
    """
    once = np.zeros(len(value), np.int64)
    found = replicates(value, levels, once, np.ones((1, 1)))
    return {name: float(of[0]) for name, of in found.items()}


def replicates(
    value: np.ndarray,
    levels: Mapping[str, np.ndarray],
    cluster: np.ndarray,
    counts: np.ndarray,
) -> dict[str, np.ndarray]:
    """The same in resamples of whole clusters: a cluster drawn twice counts as two.

    What lies within a cluster adds up over clusters, so a resample costs a few products
    of matrices; nothing is copied.

    Args:
        value: As in `henderson`.
        levels: As in `henderson`.
        cluster: The cluster of each rating, (n,) int64 from 0: its prompt.
        counts: How often each resample has each cluster, (B, clusters).

    Returns:
        As in `henderson`, (B,) each.
    """
    value = np.asarray(value, np.float64)
    for name, of in levels.items():
        if of.shape != value.shape:
            raise ValueError(
                f"expected a level of {name} for each of {len(value)} ratings,"
                f" got {of.shape}"
            )
    # The mean takes the blame for most rounding, and does not matter for variances.
    value = value - value.mean() if len(value) else value
    single = np.arange(len(value))
    nothing = np.zeros(len(value), np.int64)
    every = {_MEAN: nothing, **levels, RESIDUAL: single}
    parts = _Parts(value, every, cluster, counts.shape[1])
    names = list(every)
    found = [
        _solved(parts, names, counts[start : start + SLAB].astype(np.float64))
        for start in range(0, len(counts), SLAB)
    ]
    solved = np.vstack(found) if found else np.empty((0, len(names)))
    return {name: solved[:, k] for k, name in enumerate(names) if name != _MEAN}


def _solved(parts: _Parts, names: list[str], w: np.ndarray) -> np.ndarray:
    n = w @ parts.n
    size = len(names)
    matrix, totals = np.empty((len(w), size, size)), np.empty((len(w), size))
    for a, one in enumerate(names):
        totals[:, a] = parts.total(one, w)
        for b, other in enumerate(names):
            matrix[:, a, b] = n if other == _MEAN else parts.weight(one, other, w)
    # In rows that add up to about 1, so that the condition means something.
    scale = np.where(n > 0, n, 1)[:, np.newaxis]
    matrix, totals = matrix / scale[:, :, np.newaxis], totals / scale
    # What an empty resample or one without a difference leaves cannot be solved.
    good = np.asarray(np.isfinite(matrix).all(axis=(1, 2)))
    good[good] &= np.linalg.cond(matrix[good]) < CONDITION
    found = np.full(totals.shape, np.nan)
    found[good] = np.linalg.solve(matrix[good], totals[good][:, :, np.newaxis])[:, :, 0]
    return found


class _Sums(NamedTuple):
    """Of the levels of an effect that reaches over clusters."""

    n: scipy.sparse.csr_array  # (levels, clusters): ratings
    y: scipy.sparse.csr_array  # (levels, clusters): their sum


class _Parts:
    """The sums of squares of each cluster, from which those of a resample follow."""

    def __init__(
        self,
        value: np.ndarray,
        levels: Mapping[str, np.ndarray],
        cluster: np.ndarray,
        n_clusters: int,
    ) -> None:
        self.value, self.levels, self.cluster = value, levels, cluster
        self.shape = n_clusters
        self.n = np.bincount(cluster, minlength=n_clusters).astype(np.float64)
        self.within = {name: self._is_within(of) for name, of in levels.items()}
        self.sums = {
            name: _Sums(self._by_cluster(of), self._by_cluster(of, value))
            for name, of in levels.items()
            if not self.within[name]
        }
        # What was computed once, for all resamples.
        self._totals: dict[str, np.ndarray] = {}
        self._own: dict[tuple[str, str], np.ndarray] = {}
        self._inner: dict[tuple[str, str], scipy.sparse.csr_array] = {}
        self._across: dict[
            tuple[str, str], tuple[scipy.sparse.csr_array, np.ndarray]
        ] = {}

    def total(self, name: str, w: np.ndarray) -> np.ndarray:
        """T of the effect in each resample, (b,)."""
        if self.within[name]:
            return np.asarray(w @ self._own_total(name))
        sums = self.sums[name]
        return _ratios((sums.y @ w.T) ** 2, sums.n @ w.T)

    def weight(self, one: str, other: str, w: np.ndarray) -> np.ndarray:
        """K of two effects in each resample, (b,)."""
        if self.within[one]:
            return np.asarray(w @ self._own_weight(one, other))
        n = self.sums[one].n @ w.T
        if self.within[other]:
            return _ratios(self._squares(one, other) @ w.T, n)
        counts, first = self._pairs(one, other)
        squares = (counts @ w.T) ** 2
        return _ratios(squares, n[first])

    def _is_within(self, of: np.ndarray) -> bool:
        """Whether no level has ratings in two clusters."""
        size = int(of.max(initial=0)) + 1
        pairs = np.unique(self.cluster * size + of)
        return len(pairs) == len(np.unique(of))

    def _by_cluster(
        self, of: np.ndarray, value: np.ndarray | None = None
    ) -> scipy.sparse.csr_array:
        shape = int(of.max(initial=0)) + 1, self.shape
        what = np.ones(len(of)) if value is None else value
        return scipy.sparse.coo_array((what, (of, self.cluster)), shape=shape).tocsr()

    def _own_total(self, name: str) -> np.ndarray:
        """(clusters,)."""
        if name not in self._totals:
            of = self.levels[name]
            n, y = np.bincount(of), np.bincount(of, self.value)
            self._totals[name] = self._added(of, y**2 / np.maximum(n, 1))
        return self._totals[name]

    def _own_weight(self, one: str, other: str) -> np.ndarray:
        """(clusters,)."""
        if (one, other) not in self._own:
            of = self.levels[one]
            _, n, first = _joint(of, self.levels[other])
            share = n**2 / np.bincount(of)[of[first]]
            self._own[one, other] = np.bincount(
                self.cluster[first], share, minlength=self.shape
            )
        return self._own[one, other]

    def _squares(self, one: str, other: str) -> scipy.sparse.csr_array:
        """Sum over the inner levels of n^2, (levels of one, clusters)."""
        if (one, other) not in self._inner:
            of = self.levels[one]
            _, n, first = _joint(of, self.levels[other])
            at = of[first], self.cluster[first]
            shape = int(of.max(initial=0)) + 1, self.shape
            squares = scipy.sparse.coo_array(
                (n.astype(np.float64) ** 2, at), shape=shape
            )
            self._inner[one, other] = squares.tocsr()
        return self._inner[one, other]

    def _pairs(self, one: str, other: str) -> tuple[scipy.sparse.csr_array, np.ndarray]:
        """Ratings of each pair of levels, (pairs, clusters), and their first level."""
        if (one, other) not in self._across:
            both, _, first = _joint(self.levels[one], self.levels[other])
            self._across[one, other] = self._by_cluster(both), self.levels[one][first]
        return self._across[one, other]

    def _added(self, of: np.ndarray, what: np.ndarray) -> np.ndarray:
        """What levels have, by the cluster that they lie in."""
        _, first = np.unique(of, return_index=True)
        return np.bincount(self.cluster[first], what, minlength=self.shape)


def _joint(
    one: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the pairs of levels: of each rating, how many, and a rating of each."""
    key = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    _, first, at, n = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return at.reshape(-1), n, first


def _ratios(squares: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Sum of squares / n over the levels that a resample has, (b,)."""
    return np.divide(squares, n, out=np.zeros_like(squares), where=n > 0).sum(axis=0)
