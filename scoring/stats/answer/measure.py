"""One way to correlate, for metrics, sentinels and raters alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scoring.stats._columns import columns
from scoring.stats.compare import paired_bootstrap
from scoring.stats.correlation import Coefficient
from scoring.stats.counts import TESTABLE, Draws, Estimate, estimate
from scoring.stats.groups import correlate, replicates

FEW = f"fewer than {TESTABLE} prompts: no test"


@dataclass(frozen=True, slots=True)
class Gap:
    """One number minus another of the same texts and replicates."""

    estimate: Estimate
    p: float | None  # two-sided, by the paired bootstrap
    reason: str | None  # why p is None
    se: float | None  # standard deviation over the replicates


@dataclass(frozen=True, slots=True)
class Measure:
    """A coefficient, what texts are compared within, and the replicates."""

    coefficient: str
    draws: Draws  # of n texts
    groups: np.ndarray | None = None  # (n,)

    @property
    def n_units(self) -> int:
        return self.draws.n_units

    def only(self, rows: np.ndarray) -> Measure:
        """The same for some of the texts, given as indices."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, draws=self.draws.only(rows), groups=groups)

    def value(self, x: np.ndarray, y: np.ndarray) -> Coefficient:
        """The coefficient of two columns, (n,)."""
        found = correlate(x, y, coefficient=self.coefficient, groups=self.groups)
        return Coefficient(found.value, found.reason, found.n)

    def replicates(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of each column of x, (n, M), with y, (n,), in each replicate: (B, M)."""
        found = replicates(
            x, y, self.draws, coefficient=self.coefficient, groups=self.groups
        )
        return found[:, :, 0]

    def estimate(self, x: np.ndarray, y: np.ndarray) -> Estimate:
        """The coefficient with its interval."""
        value, reason, n = self.value(x, y)
        drawn = self.replicates(x, y)[:, 0]
        return estimate(value, drawn, n=n, n_units=self.n_units, reason=reason)


def gap(
    values: tuple[float | None, float | None],
    drawn: tuple[np.ndarray, np.ndarray],
    *,
    n: int,
    n_units: int,
) -> Gap:
    """First minus second, with its interval, test and standard error.

    Args:
        values: Of all texts; None = there is none.
        drawn: The same in each replicate, (B,) each, NaN = undefined.
        n: Texts behind both.
        n_units: Prompts that were drawn.
    """
    made = paired_bootstrap(*drawn, *values, n=n, n_units=n_units)
    apart = drawn[0] - drawn[1]
    apart = apart[np.isfinite(apart)]
    p, reason = made.p, made.reason
    if p is not None and n_units < TESTABLE:
        p, reason = None, FEW
    known = made.estimate.value is not None and len(apart) > 1
    se = float(apart.std(ddof=1)) if known else None
    return Gap(made.estimate, p, reason, se)


def alike(x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Columns of x that have scores of the same texts, and which texts, (n,) bool."""
    present = ~np.isnan(columns(x))
    patterns: dict[bytes, list[int]] = {}
    for column in range(present.shape[1]):
        patterns.setdefault(present[:, column].tobytes(), []).append(column)
    for same in patterns.values():
        yield np.array(same), present[:, same[0]]
