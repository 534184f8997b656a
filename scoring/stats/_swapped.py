"""Correlations of many variants of the same scores with one set of human scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

# Up to so many texts in a group, all pairs at once are faster than scipy in a loop.
SMALL_GROUP = 160
CONSTANT = 1e-24  # squared, of the sum of squares: less is rounding
# The same where a sum of squares is a difference of two: its own rounding is larger.
CONSTANT_BY_SUMS = 1e-12


class Block(NamedTuple):
    """Groups of the same size."""

    rows: np.ndarray  # (G, g)
    z: np.ndarray  # (G, g) human scores, or their ranks, less their mean in the group
    weight: np.ndarray  # (G,)


class Layout(NamedTuple):
    """Groups of rows in which human scores vary, by size."""

    blocks: tuple[Block, ...]
    n_groups: int
    n_numbers: int  # one replicate takes
    means: np.ndarray | None  # (n, S) to means of systems, where these are correlated


def layout(
    z: np.ndarray,
    groups: np.ndarray | None,
    systems: np.ndarray | None,
    coefficient: str,
    average: str,
) -> Layout:
    """Find the groups that a correlation can be computed in.

    Args:
        z: Human scores without gaps, (n,).
        groups: (n,) or None = one group of all.
        systems: (n,) where the means of systems are to be correlated, else None.
        coefficient: Sets the least size of a group: 2 for Kendall's tau, else 3.
        average: "macro" or "micro".
    """
    means = None
    if systems is not None:
        means = _means(systems)
        z, groups = _average(z / np.abs(z).max(), means, coefficient), None
    code = np.zeros(len(z), np.intp)
    if groups is not None:
        code = np.unique(groups, return_inverse=True)[1].reshape(-1)
    size = np.bincount(code)
    order = np.argsort(code, kind="stable")
    begins = np.cumsum(size) - size
    # A single group of two is on a line by construction; many such groups are not.
    least = 2 if coefficient == "kendall" and groups is not None else 3
    blocks = []
    for g in np.unique(size[size >= least]):
        rows = order[begins[size == g][:, np.newaxis] + np.arange(g)]
        human = z[rows]
        rows = rows[np.ptp(human, axis=1) > 1e-12 * np.abs(human).max(axis=1)]
        if len(rows):
            weight = np.full(len(rows), float(g) if average == "micro" else 1.0)
            blocks.append(Block(rows, _centred(z[rows], coefficient), weight))
    widths = [len(b.rows) * _width(b.rows.shape[1], coefficient) for b in blocks]
    n_groups = sum(len(block.rows) for block in blocks)
    return Layout(tuple(blocks), n_groups, len(order) + sum(widths), means)


def statistic(
    x: np.ndarray, made: Layout, coefficient: str, undefined: str
) -> np.ndarray:
    """Mean over groups of the correlation of each row of x (b, n), NaN = undefined."""
    if made.means is not None:
        x = _average(x, made.means, coefficient)
    total, weight = np.zeros((2, len(x)))
    for block in made.blocks:
        r = _correlate(x[:, block.rows], block.z, coefficient)
        _add(r, block.weight, undefined, total, weight)
    return _mean(total, weight)


class PearsonSums:
    """Pearson's r of all pairs of metrics from sums over what is swapped.

    With v = 1 where metric i has the score of metric j, a sum over i's scores is
    sum x_i - sum v x_i + sum v x_j: three products of v give those of all pairs.
    """

    def __init__(self, x: np.ndarray, made: Layout, undefined: str) -> None:
        self.blocks, self.undefined = made.blocks, undefined
        self.m = x.shape[1]
        self.terms = [self._terms(x, block) for block in made.blocks]
        # Three sums per group and metric, and as much again for each step with them.
        self.n_numbers = len(x) + 12 * self.m * made.n_groups

    def _terms(self, x: np.ndarray, block: Block) -> np.ndarray:
        """Scores, their squares and their products with human scores, (G, 3 M, g)."""
        unit = block.z / np.sqrt((block.z**2).sum(axis=1, keepdims=True))
        s = np.swapaxes(x[block.rows], 1, 2)
        return np.concatenate((s, s * s, s * unit[:, np.newaxis, :]), axis=1)

    def delta(
        self, swaps: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> np.ndarray:
        """Difference of the two correlations of each pair, (b, P)."""
        gone = [
            terms @ swaps.T[block.rows].astype(np.float64)
            for block, terms in zip(self.blocks, self.terms, strict=True)
        ]  # each (G, 3 M, b)
        kept = [
            terms.sum(axis=2, keepdims=True) - sums
            for terms, sums in zip(self.terms, gone, strict=True)
        ]
        found = np.empty((len(swaps), len(first)))
        for pair, (i, j) in enumerate(zip(first, second, strict=True)):
            ours = self._value(kept, gone, i, j)
            found[:, pair] = ours - self._value(kept, gone, j, i)
        return found

    def _value(
        self, kept: list[np.ndarray], gone: list[np.ndarray], i: int, j: int
    ) -> np.ndarray:
        """Statistic of metric i with some scores of metric j, (b,)."""
        total, weight = np.zeros((2, kept[0].shape[2]))
        for block, stay, move in zip(self.blocks, kept, gone, strict=True):
            s, q, c = (
                stay[:, at + i] + move[:, at + j] for at in (0, self.m, 2 * self.m)
            )  # each (G, b)
            spread = q - s * s / block.rows.shape[1]
            varies = spread > CONSTANT_BY_SUMS * q
            r = np.clip(c / np.sqrt(np.where(varies, spread, 1.0)), -1, 1)
            r[~varies] = np.nan
            _add(r.T, block.weight, self.undefined, total, weight)
        return _mean(total, weight)


def _add(
    r: np.ndarray,
    group_weight: np.ndarray,
    undefined: str,
    total: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Add correlations (b, G) to the running sums."""
    defined = np.isfinite(r)
    total += np.where(defined, r, 0.0) @ group_weight
    counted = np.ones_like(r) if undefined == "zero" else defined.astype(np.float64)
    weight += counted @ group_weight


def _mean(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    nothing = np.full(len(total), np.nan)
    return np.divide(total, weight, out=nothing, where=weight > 0)


def _correlate(x: np.ndarray, z: np.ndarray, coefficient: str) -> np.ndarray:
    """Correlate the last axis of x (b, G, g) with z (G, g), giving (b, G)."""
    if coefficient == "kendall":
        return _tau_of_pairs(x, z) if x.shape[2] <= SMALL_GROUP else _tau(x, z)
    if coefficient == "spearman":
        x = scipy.stats.rankdata(x, axis=2)
    c = x - x.mean(axis=2, keepdims=True)
    spread = (c * c).sum(axis=2)
    varies = spread > CONSTANT * (x * x).sum(axis=2)
    below = np.sqrt(np.where(varies, spread * (z * z).sum(axis=1), 1.0))
    r = np.clip((c * z).sum(axis=2) / below, -1, 1)
    return np.where(varies, r, np.nan)


def _tau_of_pairs(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(x.shape[2], 1)
    ours = np.sign(x[:, :, i] - x[:, :, j])
    theirs = np.sign(z[:, i] - z[:, j])
    apart = np.abs(ours).sum(axis=2)
    below = np.sqrt(np.maximum(apart, 1) * np.abs(theirs).sum(axis=1))
    return np.where(apart > 0, (ours * theirs).sum(axis=2) / below, np.nan)


def _tau(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    found = np.full(x.shape[:2], np.nan)
    for b, group in np.ndindex(found.shape):
        if np.ptp(x[b, group]) > 0:
            found[b, group] = scipy.stats.kendalltau(x[b, group], z[group]).statistic
    return found


def _centred(z: np.ndarray, coefficient: str) -> np.ndarray:
    if coefficient == "kendall":
        return z
    if coefficient == "spearman":
        z = scipy.stats.rankdata(z, axis=1)
    return z - z.mean(axis=1, keepdims=True)


def _width(size: int, coefficient: str) -> int:
    """Numbers that one replicate of a group takes."""
    pairs = coefficient == "kendall" and size <= SMALL_GROUP
    return size * (size - 1) // 2 if pairs else size


def _average(scores: np.ndarray, means: np.ndarray, coefficient: str) -> np.ndarray:
    """Means of systems; where order counts, without what would break ties."""
    found = scores @ means
    return found if coefficient == "pearson" else np.round(found, 12)


def _means(systems: np.ndarray) -> np.ndarray:
    """Matrix that turns scores (n,) into the mean of each system (S,)."""
    names, at = np.unique(systems, return_inverse=True)
    at = at.reshape(-1)
    matrix = np.zeros((len(at), len(names)))
    matrix[np.arange(len(at)), at] = 1
    return matrix / matrix.sum(axis=0)
