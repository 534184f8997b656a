"""Counts of the rows of replicates, laid out so that rows are contiguous.

With one row of memory per row of data, to sort is to copy rows, and every sum over
rows is a sum of vectors as long as the slab of replicates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scoring.stats.counts import Draws

# Float32 holds all whole numbers up to here: squares of totals up to it are exact.
EXACT = 2**24
# Numbers of a slab: 1 MB of float32 stays in a core's cache.
CACHED = 250_000


def slabs(draws: Draws, size: int = CACHED) -> Iterator[tuple[slice, np.ndarray]]:
    """Counts w, shape (n, b), in slices of the replicates; float32 where exact."""
    step = max(16, size // max(1, draws.n_rows))
    for start in range(0, len(draws), step):
        part = slice(start, min(start + step, len(draws)))
        w = np.ones((draws.n_rows, part.stop - part.start))
        for position, (counts, at) in enumerate(
            zip(draws.counts, draws.at, strict=True)
        ):
            factor = np.ascontiguousarray(counts[part].T, dtype=np.float32)[at]
            w = factor if position == 0 else w * factor
        fits = len(w) == 0 or float(w.sum(axis=0, dtype=np.float64).max()) ** 2 < EXACT
        yield part, w if fits else w.astype(np.float64)


class Room:
    """Memory for one column at a time: to ask for more costs as much as to fill it."""

    def __init__(self, w: np.ndarray) -> None:
        n, b = w.shape
        size = max(1, round(n**0.5))
        self.n = n
        self.blocks = np.zeros((-(-n // size), size, b), w.dtype)
        self.rows = np.empty_like(w)
        self.exact = np.empty(w.shape)  # float64

    def cumulated(self, w: np.ndarray, order: np.ndarray) -> np.ndarray:
        """Sums of the rows up to each, in order; good until the next call.

        In blocks of about sqrt(n) rows: within all blocks at once, then over the
        blocks. Numpy's own takes ten times as long across rows.
        """
        blocks = self.blocks
        sums = blocks.reshape(-1, w.shape[1])
        np.take(w, order, axis=0, out=sums[: self.n], mode="clip")
        sums[self.n :] = 0
        for row in range(1, blocks.shape[1]):
            blocks[:, row] += blocks[:, row - 1]
        for position in range(1, len(blocks)):
            blocks[position] += blocks[position - 1, -1]
        return sums[: self.n]


class Levels:
    """Where the rows of a column stand in its order, by value."""

    def __init__(self, column: np.ndarray) -> None:
        self.order = np.argsort(column, kind="stable")
        ordered = column[self.order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        self.ends = np.flatnonzero(last)  # last row of each level, in order
        self.at = np.empty(len(column), np.intp)  # the level of each row
        self.at[self.order] = np.append(0, np.cumsum(last)[:-1])

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def tied(self) -> bool:
        return len(self.ends) < len(self.order)

    def up_to(self, w: np.ndarray, room: Room) -> np.ndarray:
        """Counts of all rows up to the end of each level, (levels, b)."""
        sums = room.cumulated(w, self.order)
        return sums[self.ends] if self.tied else sums

    def counts(self, w: np.ndarray, room: Room) -> np.ndarray:
        """How often each level occurs in the replicates, (levels, b)."""
        return steps(self.up_to(w, room)) if self.tied else w


def steps(sums: np.ndarray) -> np.ndarray:
    """Counts from their sums."""
    return np.diff(sums, axis=0, prepend=sums.dtype.type(0))
