"""Soft pairwise accuracy: is a metric as sure of a system's lead as people are?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring.stats._columns import places
from scoring.stats.counts import DRAWS, SLAB

MIN_ITEMS = 5
EQUAL = 1e-9  # relative to the largest sum that signs could give


class SoftAccuracy(NamedTuple):
    """How near the p-values of all pairs of systems are, or why there are none."""

    value: float | None  # [0, 1]
    reason: str | None  # why value is None
    n_systems: int
    n_pairs: int  # pairs of systems behind the value
    n_left_out: int  # pairs with fewer than 5 items in common


def soft_pairwise_accuracy(
    metric: np.ndarray,
    human: np.ndarray,
    items: np.ndarray,
    systems: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> SoftAccuracy:
    """Compare how sure metric and people are that one system beats another.

    SPA = 1 - mean over pairs of |p_human - p_metric|, where p is the one-sided p-value
    of a paired permutation test over items (Thompson et al. 2024, arXiv 2409.09598):
    t = sum_k d_k, t_b = sum_k e_bk d_k with e = -1 or 1, the same signs for all pairs
    and for metric and people. It is the mid-p, (#{t_b > t} + #{t_b = t} / 2 + 1/2) /
    (B + 1), so that the value does not depend on the order of the systems.

    Args:
        metric: Scores of texts, higher is better, shape (n,). NaN = missing; a text
            that lacks one is left out. Several texts of one system for one item
            count as their mean.
        human: Human scores of the same texts, likewise.
        items: What each text was written for: its prompt.
        systems: What wrote it.
        rng: Draws the signs.
        draws: B, how many.

    Returns:
        None with a reason if there are fewer than two systems, or no two that have 5
        items in common, or if a score is infinite; a pair with fewer is left out.
    """
    metric, human = np.asarray(metric, np.float64), np.asarray(human, np.float64)
    known = ~(np.isnan(metric) | np.isnan(human))
    for scores, name in ((metric, "metric"), (human, "human")):
        if np.isinf(scores[known]).any():
            return SoftAccuracy(None, f"{name} scores: some are infinite", 0, 0, 0)
    n = int(known.sum())
    system, n_systems = places(np.asarray(systems)[known], n, "system")
    item, n_items = places(np.asarray(items)[known], n, "item")
    if n_systems < 2:
        return SoftAccuracy(None, "fewer than 2 systems", n_systems, 0, 0)
    shape = (n_systems, n_items)
    present, *means = _cells((metric[known], human[known]), system, item, shape)
    first, second = np.triu_indices(n_systems, 1)
    enough = (present[first] & present[second]).sum(axis=1) >= MIN_ITEMS
    n_pairs, n_left_out = int(enough.sum()), int((~enough).sum())
    if n_pairs == 0:
        reason = f"no two systems have {MIN_ITEMS} items in common"
        return SoftAccuracy(None, reason, n_systems, 0, n_left_out)
    signs = rng.choice([-1.0, 1.0], size=(draws, n_items))
    apart = 0.0
    for i, j in _slabs(first[enough], second[enough], draws + n_items):
        both = present[i] & present[j]
        ours, theirs = (
            _p_values(np.where(both, x[i] - x[j], 0.0), signs) for x in means
        )
        apart += float(np.abs(ours - theirs).sum())
    return SoftAccuracy(1 - apart / n_pairs, None, n_systems, n_pairs, n_left_out)


def _cells(
    scores: tuple[np.ndarray, ...],
    system: np.ndarray,
    item: np.ndarray,
    shape: tuple[int, int],
) -> list[np.ndarray]:
    """Which cells of systems x items have a text, and the means of each score."""
    cell = system * shape[1] + item
    size = np.bincount(cell, minlength=shape[0] * shape[1])
    sums = [np.bincount(cell, values, len(size)) for values in scores]
    means = [(total / np.maximum(size, 1)).reshape(shape) for total in sums]
    return [size.reshape(shape) > 0, *means]


def _p_values(differences: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """One-sided mid-p of each row of differences (P, I) by signs (B, I)."""
    t = differences.sum(axis=1)
    null = signs @ differences.T
    close = EQUAL * np.abs(differences).sum(axis=1)
    above = (null > t + close).sum(axis=0)
    equal = (np.abs(null - t) <= close).sum(axis=0)
    return (above + equal / 2 + 0.5) / (len(signs) + 1)


def _slabs(
    first: np.ndarray, second: np.ndarray, width: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    step = max(1, SLAB // width)
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]
