"""Clusters of embeddings: the partition phi of Pimentel, Meister & Cotterell (2023).

Embeddings are reduced by PCA to the fewest dimensions that keep 90 % of their variance
and clustered by k-means (Lloyd) on the union of human and system texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

VARIANCE = 0.9
PASSES = 100


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
        reduced = (_rows(features, self.normalised) - self.mean) @ self.axes.T
        return _nearest(reduced, self.centres)


def learn(
    features: np.ndarray,
    k: int,
    *,
    rng: np.random.Generator,
    normalise: bool = False,
    variance: float = VARIANCE,
) -> Clusters:
    """PCA and k-means.

    Args:
        features: Embeddings, (n, d), finite.
        k: Clusters; at most n.
        rng: Where k-means begins.
        normalise: Divide each row by its L2 norm first.
        variance: Share of the variance to keep, in (0, 1].

    Raises:
        ValueError: If k is not from 1 to n.
    """
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA

    if not 1 <= k <= len(features):
        raise ValueError(f"expected from 1 to {len(features)} clusters, got {k}")
    rows = _rows(features, normalise)
    pca = PCA(n_components=None, svd_solver="full").fit(rows)
    kept = np.cumsum(pca.explained_variance_ratio_)
    n = int(np.searchsorted(kept, variance) + 1) if np.isfinite(kept).all() else 1
    axes = pca.components_[:n]
    reduced = (rows - pca.mean_) @ axes.T
    seed = int(rng.integers(2**31 - 1))
    means = KMeans(k, init="random", n_init=1, max_iter=PASSES, random_state=seed)
    labels = means.fit_predict(reduced)
    return Clusters(labels, k, pca.mean_, axes, means.cluster_centers_, normalise)


def _rows(features: np.ndarray, normalise: bool) -> np.ndarray:
    rows = np.asarray(features, dtype=np.float32)
    if not normalise:
        return rows
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


def _nearest(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    distances = (centres**2).sum(axis=1) - 2 * rows @ centres.T
    return distances.argmin(axis=1)
