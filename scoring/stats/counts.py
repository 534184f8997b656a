"""Bootstrap and permutation designs, as counts: how often a replicate has each row.

A replicate is a vector of counts, so every weighted statistic is a matrix product and
no sample is ever copied. What shares a prompt is drawn together by default: samples of
one prompt are not independent, and intervals that treat them so are too narrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.stats.estimates import Estimate

DRAWS = 1000
LEVEL = 0.95
# Below so many defined replicates an interval would be that of the lucky ones.
MIN_DEFINED = 0.95
UNDEFINED = "more than 5 % of the resamples have no value"
FEW_UNITS = 2
# Below so many units even differences of one sign are no evidence: 2 / 2^5 > 0.05.
TESTABLE = 6
# Numbers of a slab of replicates that is expanded to rows at once: 32 MB.
SLAB = 4_000_000


@dataclass(frozen=True, slots=True)
class Draws:
    """Replicates of n rows: the product of one or more independent designs."""

    counts: tuple[np.ndarray, ...]  # each (B, units) uint16
    at: tuple[np.ndarray, ...]  # each (n,) intp: the unit that a row belongs to

    def __len__(self) -> int:
        return len(self.counts[0])

    @property
    def n_rows(self) -> int:
        return len(self.at[0])

    @property
    def n_units(self) -> int:
        """Of the design with the fewest."""
        return min(counts.shape[1] for counts in self.counts)

    def rows(self, part: slice | np.ndarray = slice(None)) -> np.ndarray:
        """How often these replicates have each row, (b, n) float64."""
        found = np.ones(())
        for counts, at in zip(self.counts, self.at, strict=True):
            found = found * counts[part][:, at].astype(np.float64)
        return found

    def slabs(self, columns: int = 1) -> Iterator[slice]:
        """Replicates in slices that fit in memory, where each row takes `columns`."""
        step = max(1, SLAB // max(1, self.n_rows * columns))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def first(self, n: int) -> Draws:
        """The first n replicates."""
        return Draws(tuple(counts[:n] for counts in self.counts), self.at)

    def only(self, rows: np.ndarray) -> Draws:
        """The same replicates of some of the rows, given as a mask or as indices."""
        return Draws(self.counts, tuple(at[rows] for at in self.at))


def draw(units: np.ndarray, *, rng: np.random.Generator, draws: int = DRAWS) -> Draws:
    """Draw whole units with replacement, as many as there are.

    w ~ Multinomial(U; 1/U, ..., 1/U), one weight for all rows of a unit.

    Args:
        units: The unit of each row, shape (n,), of any kind: prompts, systems, or
            `np.arange(n)` to draw single rows.
        rng: Where the replicates come from.
        draws: How many.

    >>> made = draw(np.array([7, 7, 9]), rng=np.random.default_rng(1), draws=2)
    >>> made.rows()
    array([[1., 1., 1.],
           [2., 2., 0.]])
    """
    names, at = np.unique(units, return_inverse=True)
    counts = np.zeros((draws, len(names)), dtype=np.uint16)
    # A slab at a time: multinomial() takes four times the memory, and refuses no units.
    step = max(1, SLAB // max(1, len(names)))
    for start in range(0, draws if len(names) else 0, step):
        part = counts[start : start + step]
        even = np.full(len(names), 1 / len(names))
        part[:] = rng.multinomial(len(names), even, size=len(part))
    return Draws((counts,), (at.reshape(-1),))


def draw_both(
    units: np.ndarray,
    others: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Draws:
    """Draw two kinds of units independently; a row's count is the product of both."""
    first = draw(units, rng=rng, draws=draws)
    second = draw(others, rng=rng, draws=draws)
    return Draws((*first.counts, *second.counts), (*first.at, *second.at))


def estimate(
    value: float | None,
    replicates: np.ndarray,
    *,
    n: int,
    n_units: int,
    reason: str | None = None,
    level: float = LEVEL,
) -> Estimate:
    """Give a number its percentile interval.

    The limits are the (1 - level)/2 and (1 + level)/2 quantiles (numpy's linear) of the
    replicates that are defined. There is none with fewer than two units, or where more
    than 5 % of the replicates are undefined.

    Args:
        value: The number itself, from all rows once; None with a `reason`.
        replicates: The same number from each replicate, (B,), NaN = undefined.
        n: Rows behind the number.
        n_units: Units that were drawn.
        reason: Why value is None.
        level: Nominal coverage.
    """
    if value is None:
        return Estimate(None, n=n, reason=reason)
    if n_units < FEW_UNITS:
        return Estimate(value, n=n, reason="only one unit to draw from")
    low, high, undefined = interval(replicates, level)
    if np.isnan(low) or undefined > 1 - MIN_DEFINED:
        return Estimate(value, n=n, reason=UNDEFINED)
    return Estimate(value, float(low), float(high), n)


class Interval(NamedTuple):
    """Limits of many numbers at once, and the share of replicates without a value."""

    low: np.ndarray
    high: np.ndarray
    undefined: np.ndarray


def interval(replicates: np.ndarray, level: float = LEVEL) -> Interval:
    """Percentile limits along the first axis; NaN replicates are left out.

    Args:
        replicates: Shape (B, ...).
        level: Nominal coverage.

    Returns:
        Three arrays of shape (...); NaN limits where no replicate is defined.
    """
    defined, shape = np.isfinite(replicates), replicates.shape[1:]
    undefined = 1 - defined.mean(axis=0) if len(replicates) else np.ones(shape)
    tails = [(1 - level) / 2, (1 + level) / 2]
    if defined.all() and len(replicates):
        low, high = np.quantile(replicates, tails, axis=0)
        return Interval(low, high, undefined)
    flat = replicates.reshape(len(replicates), int(np.prod(shape)))
    kept = defined.reshape(flat.shape)
    limits = np.full((2, flat.shape[1]), np.nan)
    for column in np.flatnonzero(kept.any(axis=0)):
        limits[:, column] = np.quantile(flat[kept[:, column], column], tails)
    low, high = limits.reshape(2, *shape)
    return Interval(low, high, undefined)
