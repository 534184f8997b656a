"""Which system writes best, and of which two can that be said at all?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats import cluster_t
from scoring.stats.cluster_t import Differences, Means
from scoring.stats.compare import ALPHA, adjust, clusters
from scoring.stats.estimates import Estimate


class Standing(NamedTuple):
    """The mean scores of S systems, and what is certain about their order."""

    means: tuple[Estimate, ...]
    ranks: tuple[int | None, ...]  # 1 = best; equal where no test tells them apart
    ranges: tuple[tuple[int, int] | None, ...]  # best and worst rank
    p: np.ndarray  # (S, S) symmetric, NaN = no test
    adjusted: np.ndarray  # (S, S), p after Holm
    family: int  # tests that were corrected for
    n_units: int
    of_prompts: Means
    between: Differences


def standing(
    scores: np.ndarray,
    systems: np.ndarray,
    n_systems: int,
    prompts: np.ndarray,
    *,
    alpha: float = ALPHA,
) -> Standing:
    """Rank systems by their mean scores.

    The mean of all texts, with the interval of t over prompts; each two systems are
    tested over the same prompts (`cluster_t.differences`), and the p of all pairs are
    corrected (Holm). Systems share a rank unless one of that rank is significantly
    better; the range of a system leaves out only ranks that tests exclude: from one
    more than the systems that are significantly better, to all but those worse.

    Args:
        scores: Of texts, (n,), higher is better. NaN = missing.
        systems: The system of each text, (n,), from 0; others are left out.
        n_systems: How many systems there are.
        prompts: The prompt of each text, (n,).
        alpha: Level of the tests of all pairs together.

    Returns:
        A system without a score has no rank. No test of systems with fewer than five
        prompts, or that differ by the same everywhere: they share one rank.
    """
    scores = np.where(np.isfinite(scores), scores, np.nan)
    of_prompts = cluster_t.means(scores, systems, n_systems, prompts)
    between = cluster_t.differences(of_prompts)
    p = between.tests.p
    adjusted, family = adjust(p)
    used = np.isfinite(scores) & (systems >= 0)
    return Standing(
        means=cluster_t.estimates(of_prompts),
        ranks=clusters(of_prompts.value, adjusted, alpha),
        ranges=_ranges(of_prompts.value, adjusted, alpha),
        p=p,
        adjusted=adjusted,
        family=family,
        n_units=len(np.unique(prompts[used])),
        of_prompts=of_prompts,
        between=between,
    )


def difference(found: Standing, one: int, other: int) -> Estimate:
    """Mean of one system minus that of another, with the interval of the pair."""
    return cluster_t.difference(found.of_prompts, found.between, one, other)


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
