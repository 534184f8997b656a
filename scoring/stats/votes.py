"""Votes on pairs of items: which of two is better, or neither."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import clustered
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate

FIRST, SECOND, TIE = 1, 2, 0


class Votes(NamedTuple):
    """One row per vote, from `read`."""

    first: np.ndarray  # (k,) item shown first
    second: np.ndarray  # (k,)
    outcome: np.ndarray  # (k,) FIRST, SECOND or TIE
    unit: np.ndarray  # (k,) what is drawn together
    n_items: int


class Position(NamedTuple):
    """How often the text shown first wins."""

    share: Estimate  # of the decided votes, in [0, 1]; 0.5 = no bias
    p: float | None  # two-sided, of 0.5, as the interval of share is made


def read(
    first: np.ndarray,
    second: np.ndarray,
    outcome: np.ndarray,
    n_items: int,
    unit: np.ndarray | None = None,
) -> Votes:
    """Check votes, and leave out those without an outcome (NaN).

    Args:
        first: The one item of each vote, shape (k,), from 0 to n_items - 1.
        second: The other item of each vote, likewise.
        outcome: 1 = the first wins, 2 = the second wins, 0 = tie, shape (k,).
        n_items: How many items there are.
        unit: What belongs together, shape (k,), of any kind; each vote alone if None.

    Raises:
        ValueError: If an outcome is another number, if an item does not exist, if one
            is compared with itself, or if the lengths differ.
    """
    unit = np.arange(len(outcome)) if unit is None else unit
    columns = [np.asarray(column) for column in (first, second, outcome, unit)]
    if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
        shapes = ", ".join(str(column.shape) for column in columns)
        raise ValueError(f"expected vectors of one length, got {shapes}")
    kept = ~np.isnan(columns[2].astype(np.float64))
    first, second, outcome, unit = (column[kept] for column in columns)
    if not np.isin(outcome, (FIRST, SECOND, TIE)).all():
        raise ValueError("outcome: expected 1 (first), 2 (second) or 0 (tie)")
    if not np.isin(np.concatenate([first, second]), np.arange(n_items)).all():
        raise ValueError(f"items: expected 0 to {n_items - 1}")
    if (first == second).any():
        raise ValueError("a vote compares an item with itself")
    first, second, outcome = (c.astype(np.intp) for c in (first, second, outcome))
    return Votes(first, second, outcome, unit, n_items)


def tally(votes: Votes) -> tuple[np.ndarray, np.ndarray]:
    """Count wins of the row over the column, and ties (symmetric): (n, n) each.

    >>> tally(read([0, 1, 0], [1, 0, 1], [1, 1, 0], 2))[0]
    array([[0., 1.],
           [1., 0.]])
    """
    one_unit = np.zeros(len(votes.first), dtype=np.intp)
    wins, ties = tables(by_unit(votes, one_unit, 1).toarray(), votes.n_items)
    return wins[0], ties[0]


def by_unit(votes: Votes, at: np.ndarray, n_units: int) -> scipy.sparse.csr_array:
    """Votes of each unit in each cell of the two tables, (n_units, 2 n n)."""
    first, second, outcome, _, n = votes
    winner = np.where(outcome == SECOND, second, first)
    loser = np.where(outcome == SECOND, first, second)
    tied = outcome == TIE
    cell = winner * n + loser + np.where(tied, n * n, 0)
    mirror = (loser * n + winner + n * n)[tied]
    where = np.concatenate([at, at[tied]]), np.concatenate([cell, mirror])
    ones = np.ones(len(where[0]))
    return scipy.sparse.coo_array((ones, where), shape=(n_units, 2 * n * n)).tocsr()


def tables(cells: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells (B, 2 n n) as the two tables, (B, n, n) each."""
    both = cells.reshape(len(cells), 2, n, n)
    return both[:, 0], both[:, 1]


def position(votes: Votes, level: float = LEVEL) -> Position:
    """How often the first text wins, where a vote is decided.

    It means a bias only where the order was random: a system that is always shown
    first and is better would look the same.

    Args:
        votes: From `read`.
        level: Nominal coverage.
    """
    decided = np.flatnonzero(votes.outcome != TIE)
    won, unit = votes.outcome[decided] == FIRST, votes.unit[decided]
    share = clustered.share(won, unit, level=level, reason="no vote is decided")
    return Position(share, clustered.p_of_share(won, unit))


def share_won(votes: Votes, one: int, other: int, level: float = LEVEL) -> Estimate:
    """How much one item wins against another: (wins + ties / 2) / votes, in [0, 1].

    Args:
        votes: From `read`.
        one: An item.
        other: Another item.
        level: Nominal coverage.
    """
    lower, upper = sorted((one, other))
    first, second = votes.first, votes.second
    rows = np.flatnonzero(
        (np.minimum(first, second) == lower) & (np.maximum(first, second) == upper)
    )
    outcome = votes.outcome[rows]
    winner = np.where(outcome == FIRST, first[rows], second[rows])
    points = np.where(outcome == TIE, 0.5, winner == one)
    reason = "no vote on these two"
    return clustered.share(points, votes.unit[rows], level=level, reason=reason)
