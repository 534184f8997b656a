"""How a correlation grows with the number of scores that are averaged.

One computation, three curves: evaluators of a metric (section 4.7 of the paper on
CTRLEval, Ke et al. 2022), raters of a text, metrics of an ensemble.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from scoring.stats._columns import tied
from scoring.stats.correlation import Coefficient
from scoring.stats.groups import Undefined, correlate

REPEATS = 20
NAMES = ("mean scores", "target")


class Point(NamedTuple):
    """Correlations of the means of k scores."""

    k: int
    mean: float | None  # over the subsets that have a correlation
    std: float | None  # over the same, ddof 1; 0 where only one subset is possible
    n_subsets: int  # that have one
    n: int  # texts behind it: the fewest of any subset
    reason: str | None  # why mean is None


def curve(
    scores: np.ndarray,
    target: np.ndarray,
    *,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
    sizes: tuple[int, ...] | None = None,
    repeats: int = REPEATS,
    coefficient: str = "pearson",
    groups: np.ndarray | None = None,
    undefined: Undefined = "drop",
) -> tuple[Point, ...]:
    """Correlate the weighted mean of k scores with a target, for several k.

    S_A(x) = sum_{j in A} w_j(x) s_j(x) / sum_{j in A} w_j(x), with A of size k.

    Args:
        scores: Of text x by evaluator j, shape (n, N). NaN = missing: the mean is taken
            over the others in A.
        target: What to correlate with, shape (n,). NaN = missing.
        rng: Where the subsets come from.
        weights: w_j(x), shape (n, N) or (N,), 0 or more; 1 where None.
        sizes: The numbers k, from 1 to N; all where None.
        repeats: Subsets of each size. All are taken where there are not more, so that
            k = N is exact; else that many different ones.
        coefficient: "pearson", "spearman" or "kendall".
        groups: What texts are compared within, as in `groups.correlate`.
        undefined: As in `groups.correlate`.

    Returns:
        One point for each size, in order. A text whose weights in A sum to 0 is left
        out of that subset.

    Raises:
        ValueError: If shapes do not match, a size is impossible or a weight negative.
    """
    scores, target = _matching(scores, target)
    n_scores = scores.shape[1]
    known = _weights(weights, scores)
    infinite = np.isinf(scores) & (known > 0)
    filled = np.where((known > 0) & ~infinite, scores, 0.0)
    points = []
    for k in _sizes(sizes, n_scores):
        chosen = _different(n_scores, k, repeats, rng)
        total = known @ chosen.T
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (known * filled) @ chosen.T / total
        means[total == 0] = np.nan
        means[infinite @ chosen.T > 0] = np.inf
        found = _correlated(means, target, coefficient, groups, undefined)
        points.append(point(k, found, only=k == n_scores))
    return tuple(points)


def curve_by_text(
    scores: np.ndarray,
    target: np.ndarray,
    *,
    rng: np.random.Generator,
    sizes: tuple[int, ...] | None = None,
    repeats: int = REPEATS,
    coefficient: str = "pearson",
    groups: np.ndarray | None = None,
    undefined: Undefined = "drop",
    best: bool = False,
) -> tuple[Point, ...]:
    """Correlate the mean of k scores, drawn separately for each text, with a target.

    For raters of a crowd, and for references, where column j is not the same one in
    each row.

    Args:
        scores: Ratings of text x, shape (n, N). NaN = missing.
        target: Metric scores, shape (n,). NaN = missing.
        rng: Where the ratings are drawn.
        sizes: The numbers k; all where None. A text with fewer than k ratings is left
            out at k: n says how many remain.
        repeats: Draws for each size; one where no text has more than k ratings.
        coefficient: "pearson", "spearman" or "kendall".
        groups: As in `curve`.
        undefined: As in `curve`.
        best: Take the largest of the k scores in place of their mean (eq. 1 of ARGENT).

    Raises:
        ValueError: As `curve`.
    """
    scores, target = _matching(scores, target)
    given = (~np.isnan(scores)).sum(axis=1)
    filled = np.where(np.isnan(scores), 0.0, scores)
    points = []
    for k in _sizes(sizes, scores.shape[1]):
        once = not (given > k).any()
        means = np.empty((len(scores), 1 if once else repeats))
        for repeat in range(means.shape[1]):
            lot = np.where(np.isnan(scores), 2.0, rng.random(scores.shape))
            first = np.argsort(lot, axis=1)[:, :k]
            drawn = np.take_along_axis(filled, first, axis=1)
            means[:, repeat] = drawn.max(axis=1) if best else drawn.mean(axis=1)
        means[given < k] = np.nan
        found = _correlated(means, target, coefficient, groups, undefined)
        points.append(point(k, found, only=once))
    return tuple(points)


def _correlated(
    means: np.ndarray,
    target: np.ndarray,
    coefficient: str,
    groups: np.ndarray | None,
    undefined: Undefined,
) -> list[Coefficient]:
    """Of the means of each subset, (n, subsets)."""
    found = (
        correlate(
            column,
            target,
            coefficient=coefficient,
            groups=groups,
            undefined=undefined,
            names=NAMES,
        )
        for column in tied(means.T)
    )
    return [Coefficient(one.value, one.reason, one.n) for one in found]


def point(k: int, found: list[Coefficient], *, only: bool = False) -> Point:
    """Sum up the correlations of the subsets of size k; `only` = there is but one."""
    values = [one.value for one in found if one.value is not None]
    n = min(one.n for one in found)
    if not values:
        return Point(k, None, None, 0, n, found[0].reason)
    std = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Point(k, float(np.mean(values)), 0.0 if only else std, len(values), n, None)


def _different(n: int, k: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """Different subsets of size k as rows of 0 and 1, all of them if there are few."""
    if comb(n, k) <= repeats:
        members = list(combinations(range(n), k))
    else:
        found: set[tuple[int, ...]] = set()
        while len(found) < repeats:
            found.add(tuple(sorted(rng.choice(n, k, replace=False).tolist())))
        members = sorted(found)
    chosen = np.zeros((len(members), n))
    chosen[np.arange(len(members))[:, np.newaxis], np.array(members)] = 1.0
    return chosen


def _matching(scores: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores, target = np.asarray(scores, np.float64), np.asarray(target, np.float64)
    if scores.ndim != 2 or target.shape != scores.shape[:1]:
        shapes = f"{scores.shape} and {target.shape}"
        raise ValueError(f"expected scores (n, N) and target (n,), got {shapes}")
    return scores, target


def _weights(weights: np.ndarray | None, scores: np.ndarray) -> np.ndarray:
    """Shape (n, N), 0 where there is no score or no weight."""
    given = np.ones_like(scores) if weights is None else np.asarray(weights, np.float64)
    full = np.broadcast_to(given, scores.shape)
    if (full < 0).any():
        raise ValueError("expected weights of 0 or more")
    return np.where(np.isnan(scores) | np.isnan(full), 0.0, full)


def _sizes(sizes: tuple[int, ...] | None, n: int) -> tuple[int, ...]:
    chosen = tuple(range(1, n + 1)) if sizes is None else sizes
    if not all(1 <= k <= n for k in chosen):
        raise ValueError(f"expected sizes from 1 to {n}, got {chosen}")
    return chosen
