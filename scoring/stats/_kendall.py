"""Kendall's tau-b of many replicates, exactly, from counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isqrt

import numpy as np

from scoring.stats import _tables
from scoring.stats._replicas import Levels, Room, slabs
from scoring.stats.counts import Draws

# A column is cut into about this many groups of neighbours, whole levels each; of more
# rows than its square, into as many as a group has rows.
GROUPS = 40
SLAB = 2_000_000
# Up to so many rows, all pairs of rows are written down, for all columns at once.
FEW_ROWS = 40


def kendall(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    """Tau-b of complete columns, (n, M) and (n, A) -> (B, M, A); NaN where constant.

    tau-b = (C - D) / sqrt((N^2 - sum c_x^2)/2 (N^2 - sum c_y^2)/2), where c are the
    counts of the levels of a column: two copies of a row are a tie in both.
    """
    if len(x) <= FEW_ROWS:
        return _pair_by_pair(x, y, draws)
    sides_x = [_Side(column) for column in x.T]
    sides_y = [_Side(column) for column in y.T]
    found = np.empty((len(draws), x.shape[1], y.shape[1]))
    by_row: dict[int, list[int]] = {}  # columns of y, by column of x
    for m, first in enumerate(sides_x):
        for a, second in enumerate(sides_y):
            if not _tables.fits(first, second, draws):
                by_row.setdefault(m, []).append(a)
                continue
            for part, table in _tables.tables(first, second, draws):
                found[part, m, a] = _tables.kendall(table)
    for part, w in slabs(draws, SLAB) if by_row else ():
        room = Room(w)
        untied_y = [_untied(side, w, room) for side in sides_y]
        for m, columns in by_row.items():
            first = sides_x[m]
            untied_x, ordered = _untied(first, w, room), w[first.order]
            for a in columns:
                second = sides_y[a]
                pairs = _between(first, second, ordered) + _within(first, second, w)
                with np.errstate(invalid="ignore", divide="ignore"):
                    tau = pairs / np.sqrt(untied_x * untied_y[a])
                found[part, m, a] = tau
    return np.clip(found, -1, 1, out=found)


def _pair_by_pair(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    first, second = np.triu_indices(len(x), 1)
    signs_x, signs_y = (signs(s[first], s[second]) for s in (x, y))
    products = signs_x[:, :, np.newaxis] * signs_y[:, np.newaxis, :]
    found = np.empty((len(draws), x.shape[1], y.shape[1]))
    for part, w in slabs(draws, SLAB // 10):
        pairs = (w[first] * w[second]).T.astype(np.float64)
        excess = (pairs @ products.reshape(len(first), -1)).reshape(found[part].shape)
        untied_x, untied_y = pairs @ np.abs(signs_x), pairs @ np.abs(signs_y)
        with np.errstate(invalid="ignore", divide="ignore"):
            roots = np.sqrt(untied_x[:, :, np.newaxis] * untied_y[:, np.newaxis, :])
            found[part] = excess / roots
    return np.clip(found, -1, 1, out=found)


def signs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Sign of the difference, also of infinities; 0 where one is missing."""
    return (first > second) * 1.0 - (first < second)


def excess(x: np.ndarray, y: np.ndarray) -> int:
    """C - D of two vectors without gaps."""
    first, second, once = _Side(x), _Side(y), np.ones((len(x), 1))
    return int((_between(first, second, once) + _within(first, second, once))[0])


class _Side(Levels):
    """A column, and its levels in groups of neighbours."""

    def __init__(self, column: np.ndarray) -> None:
        super().__init__(column)
        self.group = _groups(self)[self.at]  # of each row
        self.n_groups = int(self.group.max()) + 1
        edges = np.flatnonzero(np.diff(self.group[self.order])) + 1
        self.edges = [0, *edges.tolist(), len(column)]  # of the groups, in order

    def parts(self) -> Iterator[tuple[slice, np.ndarray, bool]]:
        """Each group: its place in order, its rows, whether it has several levels."""
        for start, stop in pairwise(self.edges):
            rows = self.order[start:stop]
            several = self.at[rows[0]] != self.at[rows[-1]]
            yield slice(start, stop), rows, bool(several)


def _groups(levels: Levels) -> np.ndarray:
    """The group of each level; a level with as many rows as a group is one alone."""
    n_groups = max(GROUPS, isqrt(len(levels.order)))
    if len(levels) <= n_groups:
        return np.arange(len(levels))
    size = len(levels.order) / n_groups
    starts = np.append(0, levels.ends[:-1] + 1)
    large = levels.ends + 1 - starts >= size
    place = starts // size
    new = (np.diff(place) > 0) | large[1:] | large[:-1]
    return np.append(0, np.cumsum(new))


def _untied(levels: Levels, w: np.ndarray, room: Room) -> np.ndarray:
    """Pairs that differ in a column, (b,)."""
    counts = levels.counts(w, room)
    total = w.sum(axis=0, dtype=np.float64)
    return (total**2 - np.einsum("ib,ib->b", counts, counts)) / 2


def _between(x: _Side, y: _Side, ordered: np.ndarray) -> np.ndarray:
    """C - D of the pairs in different groups of y or in one group of x, (b,).

    Goes through the groups of x in order and keeps how often each group of y came by.
    """
    found = np.zeros(ordered.shape[1])
    past = np.zeros((y.n_groups, ordered.shape[1]), ordered.dtype)
    names = np.arange(y.n_groups)
    for place, rows, several in x.parts():
        w, group = ordered[place], y.group[rows][:, np.newaxis]
        ahead = np.sign(group - names).astype(w.dtype) @ past
        if several:
            ahead += _signs(x.at[rows], y.at[rows], w.dtype) @ w
        found += np.einsum("ib,ib->b", w, ahead)
        past += (group == names).T.astype(w.dtype) @ w
    return found


def _within(x: _Side, y: _Side, w: np.ndarray) -> np.ndarray:
    """C - D of the pairs in one group of y and in different groups of x, (b,)."""
    found = np.zeros(w.shape[1])
    for _, rows, several in y.parts():
        if several:
            ahead = _signs(x.group[rows], y.at[rows], w.dtype) @ w[rows]
            found += np.einsum("ib,ib->b", w[rows], ahead)
    return found


def _signs(x: np.ndarray, y: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """sgn(y_i - y_j) where x_i > x_j, else 0: each pair counts once, (n, n)."""
    above = x[:, np.newaxis] > x
    return (np.sign(y[:, np.newaxis] - y) * above).astype(dtype)
