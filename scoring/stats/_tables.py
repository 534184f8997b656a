"""Tables of two columns with few levels, in many replicates.

A million ratings on a scale of five points, and the means of the others', have some 200
different pairs of values. How often a replicate has each pair says all that rank
correlations need, so rows are counted once, and not gone through in each replicate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy  # loads scipy.sparse when it is first used

from scoring.stats._replicas import Levels
from scoring.stats.counts import SLAB, Draws

# Up to so many cells, and where each has so many rows on average.
MOST_CELLS, ROWS_A_CELL = 4_000, 8


def fits(x: Levels, y: Levels, draws: Draws) -> bool:
    """Whether a table is smaller by far than what it is made of."""
    cells = len(x) * len(y)
    dense = cells <= MOST_CELLS and cells * ROWS_A_CELL <= draws.n_rows
    return dense and len(draws.counts) == 1


def tables(x: Levels, y: Levels, draws: Draws) -> Iterator[tuple[slice, np.ndarray]]:
    """How often replicates have each two levels, (b, levels of x, of y) float64."""
    counts, at = draws.counts[0], draws.at[0]
    cell = x.at * len(y) + y.at
    shape = counts.shape[1], len(x) * len(y)
    of_unit = scipy.sparse.coo_array((np.ones(len(at)), (at, cell)), shape).tocsr()
    step = max(1, SLAB // max(shape))
    for start in range(0, len(draws), step):
        part = slice(start, min(start + step, len(draws)))
        found = counts[part].astype(np.float64) @ of_unit
        yield part, found.reshape(-1, len(x), len(y))


def kendall(table: np.ndarray) -> np.ndarray:
    """Tau-b of each table, (b, X, Y) -> (b,); NaN where a side has one level.

    Sums of whole numbers, as in `_kendall`, and equal to what that finds.
    """
    less_x = np.cumsum(table, axis=1) - table
    up_to_y = np.cumsum(less_x, axis=2)
    # Of the pairs with a smaller x: those with a smaller y, minus those with a larger.
    ahead = (up_to_y - less_x) - (up_to_y[:, :, -1:] - up_to_y)
    pairs = np.einsum("bxy,bxy->b", table, ahead)
    total = table.sum(axis=(1, 2))
    untied = [_untied(table.sum(axis=axis), total) for axis in (2, 1)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(pairs / np.sqrt(untied[0] * untied[1]))


def spearman(table: np.ndarray) -> np.ndarray:
    """Rho of each table, as `_spearman` has it from rows."""
    total = table.sum(axis=(1, 2))
    ranks_x, spread_x = _ranked(table.sum(axis=2), total)
    ranks_y, spread_y = _ranked(table.sum(axis=1), total)
    ranks_y -= total[:, np.newaxis]
    shared = np.einsum("bxy,bx,by->b", table, ranks_x, ranks_y, optimize=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(3 * shared / np.sqrt(spread_x * spread_y))


def _untied(counts: np.ndarray, total: np.ndarray) -> np.ndarray:
    return np.asarray((total**2 - np.einsum("bl,bl->b", counts, counts)) / 2)


def _ranked(counts: np.ndarray, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts up to each level and before it, together; and N^3 - sum c^3."""
    sums = np.cumsum(counts, axis=1)
    cubes = np.einsum("bl,bl->b", counts * counts, counts)
    return 2 * sums - counts, total**3 - cubes
