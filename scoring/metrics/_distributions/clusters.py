"""Clusters of embeddings: the partition phi of Pimentel, Meister & Cotterell (2023).

Embeddings are reduced by PCA to the fewest dimensions that keep 90 % of their variance
and clustered by k-means (Lloyd's algorithm, from random texts, the best of five starts)
on the union of human and system texts, as Pillutla et al. (2021) do.
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from importlib.metadata import version
from typing import NamedTuple

import numpy as np

VARIANCE = 0.9
PASSES = 500
STARTS = 5
PER_CLUSTER = 10  # texts; where there are fewer, recipes take fewer clusters


def contents() -> dict[str, str]:
    """For the signature: another version may find other clusters."""
    return {"scikit_learn": version("scikit-learn")}


class Clusters(NamedTuple):
    """A learned partition, and where the texts that it was learned on fell."""

    labels: np.ndarray  # (n,) int
    k: int  # clusters asked for; some may be empty
    mean: np.ndarray  # (d,)
    axes: np.ndarray  # (dimensions, d)
    centres: np.ndarray  # (k, dimensions)
    normalised: bool  # whether rows were L2-normalised first

    def assign(self, features: np.ndarray) -> np.ndarray:
        """Nearest cluster of each row, (m,) int."""
        rows = unit(features) if self.normalised else features
        reduced = (rows - self.mean) @ self.axes.T
        return _nearest(reduced, self.centres)


def learn(
    features: np.ndarray,
    k: int,
    *,
    rng: np.random.Generator,
    normalise: bool = False,
    variance: float = VARIANCE,
    weights: np.ndarray | None = None,
    starts: int = STARTS,
) -> Clusters:
    """PCA and k-means.

    Args:
        features: Embeddings, (n, d), finite.
        k: Clusters; at most n.
        rng: Where k-means begins.
        normalise: Divide each row by its L2 norm first.
        variance: Share of the variance to keep, in (0, 1].
        weights: How often each row counts, (n,), above 0; None: once.
        starts: Times that k-means begins; the lowest sum of squares is kept.

    Raises:
        ValueError: If k is not from 1 to n.
    """
    rows = unit(features) if normalise else np.asarray(features, np.float32)
    with one_thread():
        mean, axes = reduce(rows, variance=variance, weights=weights)
        reduced = (rows - mean) @ axes.T
        labels, centres = group(reduced, k, rng=rng, weights=weights, starts=starts)
    return Clusters(labels, k, mean, axes, centres, normalise)


def one_thread() -> AbstractContextManager[object]:
    """Limits threads for callers of `reduce` and `group`, which are fast without them.

    Threads add up sums in the order in which they finish, and a difference in the last
    bit is enough to give other clusters. Also, if another process uses one of two
    cores, threads wait for each other: forty small PCAs took 20 seconds instead of one.
    """
    import sklearn.cluster  # noqa: F401 - only libraries that are there are limited
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def reduce(
    rows: np.ndarray,
    *,
    variance: float = VARIANCE,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean (d,) and the fewest principal axes (dimensions, d) that keep the variance.

    There is at least one axis, though nothing may vary. Arguments as for `learn`.
    """
    counts = np.ones(len(rows)) if weights is None else weights
    mean = np.average(rows, axis=0, weights=counts).astype(np.float32)
    centred = (rows - mean) * np.sqrt(counts, dtype=np.float32)[:, None]
    values, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    spread = np.cumsum(np.maximum(values[::-1], 0))
    n = int(np.searchsorted(spread, variance * spread[-1])) + 1
    return mean, vectors[:, ::-1][:, :n].T.astype(np.float32)


def group(
    rows: np.ndarray,
    k: int,
    *,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
    starts: int = STARTS,
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (n,) and centres (k, dimensions) by k-means. Arguments as for `learn`.

    Raises:
        ValueError: If k is not from 1 to n.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    if not 1 <= k <= len(rows):
        raise ValueError(f"expected from 1 to {len(rows)} clusters, got {k}")
    means = KMeans(
        k,
        init="random",
        n_init=starts,
        max_iter=PASSES,
        tol=0,
        random_state=int(rng.integers(2**31 - 1)),
    )
    with warnings.catch_warnings():
        # Different texts may have the same vector. Then some clusters stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = means.fit_predict(rows, sample_weight=weights)
    return labels, means.cluster_centers_


def unit(features: np.ndarray) -> np.ndarray:
    """Rows of L2 norm 1, float32; those of zeros stay as they are."""
    rows = np.asarray(features, dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


def _nearest(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    distances = (centres**2).sum(axis=1) - 2 * rows @ centres.T
    return distances.argmin(axis=1)
