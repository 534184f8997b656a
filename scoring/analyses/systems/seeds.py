"""Metrics of whole systems: what chance makes of their agreement, seed by seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from scoring.stats._columns import tied
from scoring.stats.correlation import Names, named
from scoring.stats.data import Output
from scoring.stats.seeds import spread

NOT_ALL = "no seed has a number for all of these systems"


class OverSeeds(NamedTuple):
    """A coefficient for each seed, in short."""

    mean: float | None
    std: float | None  # None = fewer than two seeds
    n: int  # seeds with a coefficient
    reason: str | None  # why there is no mean


def over_seeds(
    coefficient: str, seeds: np.ndarray, y: np.ndarray, names: Names
) -> OverSeeds:
    """Correlate what each seed gives the systems with what people give them.

    Args:
        coefficient: "pearson", "spearman" or "kendall".
        seeds: (systems, seeds), higher is better; NaN = none.
        y: (systems,) of people.
        names: What the two are, for the reason.

    Only seeds count that give a number to every system that has one at all: over other
    systems a coefficient means something else. Numbers that differ by rounding only are
    ties, as in `Data.system_scores`.
    """
    seeds = tied(seeds.T).T
    has = np.isfinite(seeds)
    whole = has.sum(axis=0) == has.any(axis=1).sum()
    found = [named(coefficient, x, y, names) for x in seeds.T[whole & has.any(axis=0)]]
    values = np.array([one.value for one in found], np.float64)
    mean, std, n = (one.item() for one in spread(values))
    reason = next((one.reason for one in found if one.reason), NOT_ALL)
    return OverSeeds(
        None if n == 0 else mean,
        None if n < 2 else std,
        n,
        None if n else reason,
    )


def closeness_of(output: Output, outputs: Iterable[Output]) -> str:
    """Name the output that says how near human text this undirected one is, or ""."""
    if output.higher_is_better is not None:
        return ""
    # Folders that were exported earlier have keys with hyphens.
    sought = (f"{output.key}_closeness", f"{output.key}-closeness")
    found = (
        o.label for o in outputs if o.signature == output.signature and o.key in sought
    )
    return next(found, "")
