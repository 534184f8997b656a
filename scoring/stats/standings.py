"""Which system writes best, and of which two can that be said at all?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats.compare import ALPHA, adjust, all_pairs, clusters, paired_bootstrap
from scoring.stats.counts import TESTABLE, Draws, Estimate, estimate
from scoring.stats.systems import system_means as system_means

NO_SCORE = "no text with a score"


class Standing(NamedTuple):
    """The mean scores of S systems, and what is certain about their order."""

    means: tuple[Estimate, ...]
    ranks: tuple[int | None, ...]  # 1 = best; equal where no test tells them apart
    ranges: tuple[tuple[int, int] | None, ...]  # best and worst rank
    p: np.ndarray  # (S, S) symmetric, NaN = no test
    adjusted: np.ndarray  # (S, S), p after Holm
    family: int  # tests that were corrected for
    coarse: bool  # too few replicates for any difference to be significant
    replicates: np.ndarray  # (B, S), NaN = undefined
    n_units: int


def standing(
    scores: np.ndarray,
    systems: np.ndarray,
    n_systems: int,
    draws: Draws,
    *,
    alpha: float = ALPHA,
) -> Standing:
    """Rank systems by their mean scores.

    The mean of all texts, with percentiles of the means of resamples; each two systems
    are compared in the same resamples (paired bootstrap), and the p of all pairs are
    corrected (Holm). Systems share a rank unless one of that rank is significantly
    better; the range of a system leaves out only ranks that tests exclude: from one
    more than the systems that are significantly better, to all but those worse.

    Args:
        scores: Of texts, (n,), higher is better. NaN = missing.
        systems: The system of each text, (n,), from 0; others are left out.
        n_systems: How many systems there are.
        draws: How often the replicates have each text, usually by prompts.
        alpha: Level of the tests of all pairs together.

    Returns:
        A system without a score has no rank. No test with fewer than 6 units: then all
        share one rank, and the range is from first to last.
    """
    values, means, known = [], [], np.isfinite(scores)
    scores = np.where(known, scores, np.nan)
    replicates = system_means(scores, systems, n_systems, draws)
    for system in range(n_systems):
        rows = np.flatnonzero((systems == system) & known)
        value = float(scores[rows].mean()) if len(rows) else None
        values.append(np.nan if value is None else value)
        means.append(
            estimate(
                value,
                replicates[:, system],
                n=len(rows),
                n_units=_units(draws, rows),
                reason=NO_SCORE,
            )
        )
    ranked = np.array(values)
    n_units = _units(draws, np.flatnonzero(known & (systems >= 0)))
    p = all_pairs(replicates)
    if n_units < TESTABLE:
        p = np.full_like(p, np.nan)
    adjusted, family = adjust(p)
    return Standing(
        means=tuple(means),
        ranks=clusters(ranked, adjusted, alpha),
        ranges=_ranges(ranked, adjusted, alpha),
        p=p,
        adjusted=adjusted,
        family=family,
        coarse=2 / (len(draws) + 1) * max(1, family) >= alpha,
        replicates=replicates,
        n_units=n_units,
    )


def difference(found: Standing, one: int, other: int) -> Estimate:
    """Mean of one system minus that of another, with the interval of the pair."""
    first, second = found.means[one], found.means[other]
    made = paired_bootstrap(
        found.replicates[:, one],
        found.replicates[:, other],
        first.value,
        second.value,
        n=min(first.n, second.n),
        n_units=found.n_units,
    ).estimate
    return made._replace(reason=NO_SCORE) if made.value is None else made


def _ranges(
    values: np.ndarray, adjusted: np.ndarray, alpha: float
) -> tuple[tuple[int, int] | None, ...]:
    there = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        beaten = (values > values[:, np.newaxis]) & (adjusted < alpha)  # by the column
        beats = (values < values[:, np.newaxis]) & (adjusted < alpha)
    return tuple(
        (1 + int(beaten[s].sum()), int(there.sum()) - int(beats[s].sum()))
        if there[s]
        else None
        for s in range(len(values))
    )


def _units(draws: Draws, rows: np.ndarray) -> int:
    """Of the design with the fewest, among these rows."""
    return min(len(np.unique(at[rows])) for at in draws.at)
