"""Intervals where the metric hardly ever differs from people, for the texts at hand.

With y the ratings and g the metric's scores as ratings that occur, the mean of N texts
is

    mean_all(g) + (sum of y - g over the n rated + sum over the N - n others) / N.

The first two are known. Of the others, no more than U - k have y > g, where k of the
rated have, and U is the upper limit of the number K among all N texts: the largest K
with P(X <= k) > alpha / 2, X hypergeometric (Clopper and Pearson 1934, without
replacement). Each of them is off by no more than what is left of the scale above g, and
likewise below. So the interval needs no variance, and holds where nothing differed at
all; it is wide, and covers more often than it says. Contrasts add up the limits of
their systems and strata, each at its share of alpha (Bonferroni).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # its special functions: scipy.stats takes a second to load

NEAR = 1e-9  # of a difference: none
SMALLEST_P = 1e-6
HALVINGS = 16


class Cell(NamedTuple):
    """The texts of a system in a stratum."""

    system: int
    n_texts: int
    n: int  # rated
    above: int  # of these, with a rating above that of the metric
    below: int
    total: float  # sum of the differences
    rest_above: np.ndarray  # (n_texts - n + 1,) the most that so many others may add
    rest_below: np.ndarray


class Judged(NamedTuple):
    """The metric as a judge of S systems."""

    mean: np.ndarray  # (S,) of its ratings of all texts
    n_texts: np.ndarray  # (S,)
    cells: list[Cell]


class Bounds(NamedTuple):
    """A contrast with the interval that bounds it."""

    value: float
    low: float
    high: float


def judged(
    rating: np.ndarray,
    expected: np.ndarray,
    system: np.ndarray,
    stratum: np.ndarray,
    scale: tuple[float, float],
    n_systems: int,
) -> Judged:
    """Compare the metric with people.

    Args:
        rating: Of each text, (n,), NaN = not rated; one at least is.
        expected: By the metric on the human scale, (n,).
        system: (n,) int, from 0.
        stratum: (n,) int, from 0.
        scale: The lowest and the highest rating.
        n_systems: How many there are.
    """
    given = _nearest(expected, np.unique(rating[np.isfinite(rating)]))
    both = stratum * n_systems + system
    cells = [
        _cell(rating[both == at], given[both == at], int(at % n_systems), scale)
        for at in np.unique(both)
    ]
    n_texts = np.bincount(system, minlength=n_systems)
    total = np.bincount(system, given, n_systems)
    return Judged(total / np.maximum(n_texts, 1), n_texts, cells)


def _nearest(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    place = np.clip(np.searchsorted(among, values), 1, max(1, len(among) - 1))
    low, high = among[place - 1], among[np.minimum(place, len(among) - 1)]
    return np.asarray(np.where(values - low <= high - values, low, high))


def _cell(
    rating: np.ndarray, given: np.ndarray, system: int, scale: tuple[float, float]
) -> Cell:
    there = np.isfinite(rating)
    apart, others = (rating - given)[there], given[~there]
    low, high = scale

    def most(room: np.ndarray) -> np.ndarray:
        return np.append(0.0, np.cumsum(np.sort(np.maximum(room, 0))[::-1]))

    return Cell(
        system,
        len(rating),
        int(there.sum()),
        int((apart > NEAR).sum()),
        int((apart < -NEAR).sum()),
        float(apart.sum()),
        most(high - others),
        most(others - low),
    )


def bounds(of: Judged, row: np.ndarray, level: float) -> Bounds:
    """Bound a contrast.

    Args:
        of: The metric and people.
        row: Weights of the systems, (S,).
        level: Nominal coverage, which is the least.
    """
    cells = [cell for cell in of.cells if row[cell.system]]
    value = float(row @ of.mean) + sum(
        row[c.system] * c.total / max(c.n, 1) * c.n_texts / of.n_texts[c.system]
        for c in cells
    )
    return Bounds(value, *_ends(of, row, cells, 1 - level))


def p(of: Judged, row: np.ndarray) -> float:
    """Two-sided, that the contrast is 0: the largest alpha whose interval holds 0.

    By bisection of its logarithm; not below 1e-6.
    """
    cells = [cell for cell in of.cells if row[cell.system]]
    low, high = np.log(SMALLEST_P), 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        ends = _ends(of, row, cells, float(np.exp(middle)))
        low, high = (middle, high) if ends[0] <= 0 <= ends[1] else (low, middle)
    return float(np.exp(high))


def _ends(
    of: Judged, row: np.ndarray, cells: list[Cell], alpha: float
) -> tuple[float, float]:
    middle, down, up = float(row @ of.mean), 0.0, 0.0
    share = alpha / max(1, len(cells)) / 2
    for cell in cells:
        weight = row[cell.system] / of.n_texts[cell.system]
        middle += weight * cell.total
        more = cell.rest_above[_others(cell, cell.above, share)]
        less = cell.rest_below[_others(cell, cell.below, share)]
        up += abs(weight) * (more if weight > 0 else less)
        down += abs(weight) * (less if weight > 0 else more)
    return middle - down, middle + up


def _others(cell: Cell, k: int, share: float) -> int:
    """The largest number among texts without rating: P(X <= k) stays above `share`."""
    low, high = 0, cell.n_texts - cell.n
    while low < high:
        middle = (low + high + 1) // 2
        chance = _at_most(k, cell.n_texts, k + middle, cell.n)
        low, high = (middle, high) if chance > share else (low, middle - 1)
    return low


def _at_most(k: int, n_texts: int, marked: int, n: int) -> float:
    """P(X <= k) of n texts drawn from n_texts with so many marked."""
    x = np.arange(max(0, n - (n_texts - marked)), min(k, n, marked) + 1)
    logs = _log_ways(marked, x) + _log_ways(n_texts - marked, n - x)
    return float(np.exp(logs - _log_ways(n_texts, np.array([n]))).sum())


def _log_ways(n: int, k: np.ndarray) -> np.ndarray:
    log = scipy.special.gammaln
    return np.asarray(log(n + 1) - log(k + 1) - log(n - k + 1))
