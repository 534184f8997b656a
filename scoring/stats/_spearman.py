"""Spearman's rho of many replicates, exactly, from counts.

Ranks change with the sample, but a rank within a replicate is a sum of counts, so no
replicate is sorted: each column is sorted once.
"""

from __future__ import annotations

import numpy as np

from scoring.stats._replicas import Levels, slabs, steps
from scoring.stats.counts import Draws


def spearman(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    """Rho of complete columns, (n, M) and (n, A) -> (B, M, A); NaN where constant.

    With counts c of the levels of a column and T their sums in order, N in all, twice
    the midrank of a level is T + T_before + 1; the mean of T + T_before is N, and the
    sum of squares of the midranks is (N^3 - sum c^3) / 12.
    """
    levels_x = [Levels(column) for column in x.T]
    levels_y = [Levels(column) for column in y.T]
    found = np.empty((len(draws), x.shape[1], y.shape[1]))
    for part, w in slabs(draws):
        total = w.sum(axis=0, dtype=np.float64)
        cubes = _cubes(w)
        ranked = [_ranked(levels, w, total, cubes) for levels in levels_y]
        weighted = [(w * ranks, spread) for ranks, spread in ranked]
        for m, levels in enumerate(levels_x):
            ranks, spread_x = _ranked(levels, w, total, cubes)
            for a, (weighted_ranks, spread_y) in enumerate(weighted):
                # Both are twice the midranks: four times their product, 12 / 4 = 3.
                shared = np.einsum("ib,ib->b", ranks, weighted_ranks)
                with np.errstate(invalid="ignore", divide="ignore"):
                    rho = 3 * shared / np.sqrt(spread_x * spread_y)
                found[part, m, a] = rho
    return np.clip(found, -1, 1, out=found)


def _ranked(
    levels: Levels, w: np.ndarray, total: np.ndarray, cubes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Twice the centred midranks of the rows, (n, b), and N^3 - sum c^3, (b,)."""
    sums = levels.up_to(w)
    counts = steps(sums)
    ranks = (2 * sums - counts)[levels.at].astype(np.float64)
    ranks -= total
    return ranks, total**3 - (_cubes(counts) if levels.tied else cubes)


def _cubes(counts: np.ndarray) -> np.ndarray:
    exact = counts.astype(np.float64)
    return np.einsum("ib,ib,ib->b", exact, exact, exact)
