"""Divergences between two distributions over clusters, in nats.

p is of human texts, q of a system's (Pimentel, Meister & Cotterell 2023, section 2; the
curve and its area: Pillutla et al. 2021). With r = lambda p + (1 - lambda) q:

    forward KL       KL(p || q) = sum_c p_c ln(p_c / q_c)                  [0, inf]
    backward KL      KL(q || p)
    exponentiated    exp(KL(p || q))                                       [1, inf]
    Jensen-Shannon   (KL(p || r) + KL(q || r)) / 2 at lambda = 1/2         [0, ln 2]
    curve            (exp(-s KL(p || r)), exp(-s KL(q || r))) over lambda  in [0, 1]^2
    MAUVE            area A under the curve (higher is better), AUC = 1 - A
    frontier integral  2 sum_c t_c, t = q/4 where p = 0, p/4 where q = 0, 0 where p = q,
                     else (p + q)/4 - p q (ln p - ln q) / (2 (p - q))      [0, 1]

0 ln 0 = 0; a KL is infinite where the second distribution lacks what the first has.
Clusters are the last axis: shares of shape (n, k) give n divergences.
Identical distributions have MAUVE 1: the points of the curve are joined in the order of
lambda, where the reference implementation sorts them, ties in any order, and can give
0.75.
"""

from __future__ import annotations

import numpy as np

WEIGHTS = 25


def histogram(
    labels: np.ndarray,
    k: int,
    *,
    smoothing: float = 0.0,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Share of each of k clusters, (k,) float64, that sums to 1.

    (n_c + a) / (n + a k): a = 0 counts, 1/2 Krichevsky-Trofimov, 1 Laplace.

    Args:
        labels: Cluster of each text, (n,) int from 0. At least one, unless a > 0.
        k: Number of clusters.
        smoothing: a.
        weights: How often each text counts, (n,); None: once.
    """
    return shares(np.bincount(labels, weights, minlength=k), smoothing=smoothing)


def shares(counts: np.ndarray, *, smoothing: float = 0.0) -> np.ndarray:
    """Share of each cluster, from its number of texts. Arguments as `histogram`."""
    found = counts.astype(np.float64) + smoothing
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """KL(p || q) in nats; infinite where q lacks what p has."""
    there = p > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(there, p * np.log(p / q), 0)
    # Rounding may leave identical distributions a hair below 0.
    return np.maximum(0.0, terms.sum(axis=-1))


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Half the sum of both divergences from the mean, in nats, [0, ln 2]."""
    r = (p + q) / 2
    return (kl(p, r) + kl(q, r)) / 2


def curve(
    p: np.ndarray, q: np.ndarray, *, scale: float, weights: int = WEIGHTS
) -> np.ndarray:
    """Points (exp(-s KL(p || r)), exp(-s KL(q || r))), from (0, 1) to (1, 0).

    Args:
        p: Shares of the one, (..., k).
        q: Shares of the other, (..., k).
        scale: s > 0.
        weights: How many lambda, evenly from 1e-6 to 1 - 1e-6; the ends come on top.

    Returns:
        (..., weights + 2, 2) float64. The first column grows, the second falls.
    """
    found = np.zeros((*np.broadcast_shapes(p.shape, q.shape)[:-1], weights + 2, 2))
    found[..., 0, 1] = found[..., -1, 0] = 1
    sides = [(side, (side * _log(side)).sum(axis=-1)) for side in (p, q)]
    for place, weight in enumerate(np.linspace(1e-6, 1 - 1e-6, weights), 1):
        # One logarithm for both, because it takes most of the time. If r is 0, so are
        # p and q.
        logs = _log(weight * p + (1 - weight) * q)
        for axis, (side, negentropy) in enumerate(sides):
            divergence = negentropy - np.einsum("...k,...k", side, logs)
            found[..., place, axis] = np.exp(-scale * np.maximum(0.0, divergence))
    return found


def _log(shares: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(np.where(shares > 0, shares, 1)))


def area(points: np.ndarray) -> np.ndarray:
    """Mean of the trapezoid rule along either axis, as the reference does, [0, 1]."""
    x, y = points[..., 0], points[..., 1]
    return np.minimum(1.0, (np.trapezoid(y, x) - np.trapezoid(x, y)) / 2)


def frontier_integral(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The divergence summed along the frontier (Liu et al. 2021), [0, 1]."""
    found = np.where(p == 0, q / 4, p / 4)
    both, apart = (p > 0) & (q > 0), p != q
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (np.log(p) - np.log(q)) / (p - q)
        within = np.where(apart, (p + q) / 4 - p * q * slope / 2, 0)
    found = np.where(both, within, found)
    return np.minimum(1.0, 2 * found.sum(axis=-1))
