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
    counts = np.bincount(labels, weights, minlength=k).astype(np.float64) + smoothing
    return counts / counts.sum()


def kl(p: np.ndarray, q: np.ndarray) -> float:
    """KL(p || q) in nats; infinite where q lacks what p has."""
    there = p > 0
    if (q[there] == 0).any():
        return float("inf")
    # Rounding may leave identical distributions a hair below 0.
    return max(0.0, float(np.sum(p[there] * np.log(p[there] / q[there]))))


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> float:
    """Half the sum of both divergences from the mean, in nats, [0, ln 2]."""
    r = (p + q) / 2
    return (kl(p, r) + kl(q, r)) / 2


def curve(
    p: np.ndarray, q: np.ndarray, *, scale: float, weights: int = WEIGHTS
) -> np.ndarray:
    """Points (exp(-s KL(p || r)), exp(-s KL(q || r))), from (0, 1) to (1, 0).

    Args:
        p: Shares of the one, (k,).
        q: Shares of the other, (k,).
        scale: s > 0.
        weights: How many lambda, evenly from 1e-6 to 1 - 1e-6; the ends come on top.

    Returns:
        (weights + 2, 2) float64. The first column grows, the second falls.
    """
    points = [(0.0, 1.0)]
    for weight in np.linspace(1e-6, 1 - 1e-6, weights):
        r = weight * p + (1 - weight) * q
        points.append((np.exp(-scale * kl(p, r)), np.exp(-scale * kl(q, r))))
    return np.array([*points, (1.0, 0.0)])


def area(points: np.ndarray) -> float:
    """Mean of the trapezoid rule along either axis, as the reference does, [0, 1]."""
    x, y = points.T
    return min(1.0, float(np.trapezoid(y, x) - np.trapezoid(x, y)) / 2)


def frontier_integral(p: np.ndarray, q: np.ndarray) -> float:
    """The divergence summed along the frontier (Liu et al. 2021), [0, 1]."""
    found = np.where(p == 0, q / 4, p / 4)
    both = (p > 0) & (q > 0)
    a, b = p[both], q[both]
    apart = a != b
    gap = np.where(apart, a - b, 1.0)
    slope = np.where(apart, (np.log(a) - np.log(b)) / gap, 0.0)
    found[both] = np.where(apart, (a + b) / 4 - a * b * slope / 2, 0.0)
    return min(1.0, float(2 * found.sum()))
