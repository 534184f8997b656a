"""Spearman's rho of many replicates, exactly, from counts.

Ranks change with the sample, but a rank within a replicate is a sum of counts, so no
replicate is sorted: each column is sorted once.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from scoring.stats import _tables
from scoring.stats._replicas import Levels, Room, slabs, steps
from scoring.stats.counts import Draws


def spearman(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    """Rho of complete columns, (n, M) and (n, A) -> (B, M, A); NaN where constant.

    With counts c of the levels of a column and T their sums in order, N in all, twice
    the midrank of a level is T + T_before + 1; the mean of T + T_before is N, and the
    sum of squares of the centred midranks is (N^3 - sum c^3) / 12.
    """
    levels_x = [Levels(column) for column in x.T]
    levels_y = [Levels(column) for column in y.T]
    found = np.empty((len(draws), x.shape[1], y.shape[1]))
    if all(_tables.fits(one, two, draws) for one in levels_x for two in levels_y):
        for (m, one), (a, two) in product(enumerate(levels_x), enumerate(levels_y)):
            for part, table in _tables.tables(one, two, draws):
                found[part, m, a] = _tables.spearman(table)
        return np.clip(found, -1, 1, out=found)
    for part, w in slabs(draws):
        total = w.sum(axis=0, dtype=np.float64)
        cubes = _cubes(w)
        room, weighted = Room(w), []
        for levels in levels_y:
            ranks, spread = _ranked(levels, w, total, cubes, room)
            weighted.append((w * (ranks - total), spread))
        for m, levels in enumerate(levels_x):
            ranks, spread_x = _ranked(levels, w, total, cubes, room)
            for a, (weighted_ranks, spread_y) in enumerate(weighted):
                # The ranks of y add up to 0, so those of x need not be centred. Both
                # are doubled: four times their product, and 12 / 4 = 3.
                shared = np.einsum("ib,ib->b", ranks, weighted_ranks)
                with np.errstate(invalid="ignore", divide="ignore"):
                    rho = 3 * shared / np.sqrt(spread_x * spread_y)
                found[part, m, a] = rho
    return np.clip(found, -1, 1, out=found)


def _ranked(
    levels: Levels, w: np.ndarray, total: np.ndarray, cubes: np.ndarray, room: Room
) -> tuple[np.ndarray, np.ndarray]:
    """T + T_before of the rows, (n, b) float64, and N^3 - sum c^3, (b,).

    The first is in the room: good until the next call.
    """
    sums = levels.up_to(w, room)
    if levels.tied:
        cubes = _cubes(steps(sums))
        sums[1:] += sums[:-1].copy()
        np.take(sums, levels.at, axis=0, out=room.rows, mode="clip")
    else:
        np.take(sums, levels.at, axis=0, out=room.rows, mode="clip")
        room.rows *= 2
        room.rows -= w
    np.copyto(room.exact, room.rows)
    return room.exact, total**3 - cubes


def _cubes(counts: np.ndarray) -> np.ndarray:
    exact = counts.astype(np.float64)
    return np.einsum("ib,ib->b", exact * exact, exact)
