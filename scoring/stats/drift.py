"""Whether a metric's correlation depends on which texts it is measured on.

Model drift: texts of one system at a time. Quality drift: texts that lean to one
quarter of the human scores. After sections 4.6.1 and 4.6.2 of the paper on CTRLEval
(Ke et al. 2022).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scoring.stats import jackknife
from scoring.stats._columns import tied
from scoring.stats.by_prompt import of_texts
from scoring.stats.correlation import Coefficient
from scoring.stats.counts import DRAWS, LEVEL, Draws, draw, estimate
from scoring.stats.estimates import Estimate
from scoring.stats.groups import Undefined, correlate, replicates
from scoring.stats.jackknife import FEW_UNITS, LEAST, leave_out

QUARTERS = 4
REPEATS = 20
BINS = 5
NAMES = ("metric scores", "human scores")


class Within(NamedTuple):
    """A correlation within some of the texts, and how much these differ."""

    value: Estimate  # n = texts with both scores
    human_std: float | None  # ddof 1: where humans see little difference, r is small


class ModelDrift(NamedTuple):
    """Correlations within each system."""

    systems: tuple[str, ...]
    within: tuple[Within, ...]
    std: Estimate  # of the correlations over systems, ddof 1; n = systems


class Subset(NamedTuple):
    """Correlations within repeated draws of texts that lean to one quarter."""

    mean: float | None  # over the draws in which there is a correlation
    std: float | None  # over the same, ddof 1; None where there is only one
    first: Coefficient  # the first draw alone: what a figure of one draw shows
    size: float  # mean number of texts with both scores
    human_std: float | None  # mean over draws
    reason: str | None  # why mean is None


class QualityDrift(NamedTuple):
    """Correlations within the four kinds of subsets, lowest quality first."""

    subsets: tuple[Subset, ...]
    stability: Estimate  # SD of the four means, ddof 1; small = stable; n = texts


class Histogram(NamedTuple):
    """How the human scores of each subset are spread."""

    edges: np.ndarray  # (bins + 1,), equal widths over the range of all scores
    counts: np.ndarray  # (4, bins), texts


def by_system(
    metric: np.ndarray,
    human: np.ndarray,
    systems: np.ndarray,
    *,
    rng: np.random.Generator,
    coefficient: str = "pearson",
    unit: np.ndarray | None = None,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> ModelDrift:
    """Correlate metric and human scores within each system.

    std = the standard deviation of the r_s of the systems that have one. Chance alone
    makes the r_s differ, so it is above 0 even if the metric treats all systems alike.
    Its limits are those of the spread that would remain with any number of texts: of
    sqrt(var_b - 2 (mean of var_b - std^2)), where var_b is the variance in a replicate,
    which chance has entered twice. They begin at 0 where chance may be all there is.

    Args:
        metric: Scores of the texts, shape (n,). NaN = missing.
        human: Human scores of the texts, shape (n,). NaN = missing.
        systems: The system of each text, shape (n,).
        rng: Where the replicates come from.
        coefficient: "pearson", "spearman" or "kendall".
        unit: What to draw, shape (n,): the prompt of each text, so that what systems
            wrote for it stays together. Single texts where None.
        draws: How many replicates, for the limits of std: the spread of few numbers has
            no interval of t. Those of the r_s are the jackknife's, on Fisher's z.
        level: Nominal coverage.

    Returns:
        A system has no value where it has fewer than 3 texts with both scores, or where
        one side is constant; std none where fewer than 2 systems have a value.
    """
    metric, human = np.asarray(metric, np.float64), np.asarray(human, np.float64)
    systems = np.asarray(systems)
    unit = _units(unit, metric)
    made, left = draw(unit, rng=rng, draws=draws), leave_out(unit, rng=rng)
    names = np.unique(systems)
    how = _How(coefficient, metric, human)
    within, of_each, values = [], [], []
    for name in names:
        texts = systems == name
        found, drawn = how.value(texts), how.drawn(texts, made)
        without = of_texts(
            metric[texts], human[texts], left.only(texts), coefficient=coefficient
        )
        value = jackknife.estimate(
            without.at(0, 0), n=found.n, reason=found.reason, level=level
        )
        within.append(Within(value, _spread(metric[texts], human[texts])))
        if found.value is not None:
            values.append(found.value)
            of_each.append(drawn)
    std = _std(values, of_each, len(values), made, level, "fewer than 2 systems")
    return ModelDrift(tuple(str(name) for name in names), tuple(within), std)


def quality_subsets(
    human: np.ndarray, *, rng: np.random.Generator, repeats: int = REPEATS
) -> np.ndarray:
    """Draw texts that lean to one quarter of the human scores.

    Texts are put in order of their human score, equal ones in random order, and cut
    into four quarters q(x) of equal size. Subset j takes text x with probability 1 /
    (|j - q(x)| + 1), each independently: of 960 texts 500, 560, 560 and 500.

    Args:
        human: Scores by the aspect that stands for quality, shape (n,). A text without
            one (NaN) is in no subset.
        rng: Where order and draws come from. Use the same subsets for every metric.
        repeats: How many times to draw.

    Returns:
        Shape (repeats, 4, n), bool: whether the text is in the subset.

    Raises:
        ValueError: If repeats is not 1 or more.
    """
    if repeats < 1:
        raise ValueError(f"repeats: expected 1 or more, got {repeats}")
    human = np.asarray(human, np.float64)
    rated = np.flatnonzero(~np.isnan(human))
    chosen = np.zeros((repeats, QUARTERS, len(human)), dtype=bool)
    targets = np.arange(QUARTERS)[:, np.newaxis]
    for repeat in range(repeats):
        shuffled = rng.permutation(rated)
        order = shuffled[np.argsort(human[shuffled], kind="stable")]
        quarter = QUARTERS * np.arange(len(order)) // max(1, len(order))
        chance = 1 / (np.abs(targets - quarter) + 1)
        chosen[repeat][:, order] = rng.random(chance.shape) < chance
    return chosen


def by_quality(
    metric: np.ndarray,
    human: np.ndarray,
    subsets: np.ndarray,
    *,
    rng: np.random.Generator,
    coefficient: str = "pearson",
    unit: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    undefined: Undefined = "drop",
    draws: int = DRAWS,
    level: float = LEVEL,
) -> QualityDrift:
    """Correlate metric and human scores within subsets of different quality.

    stability = the standard deviation over j of the mean r of subset j, with limits as
    the std of `by_system` has. A subset with less spread in the human scores has a
    smaller r whatever the metric does: read human_std beside it.

    Args:
        metric: Scores of the texts, shape (n,). NaN = missing.
        human: Human scores of the texts, shape (n,). NaN = missing.
        subsets: From `quality_subsets`, shape (repeats, 4, n). Kept in each replicate:
            a text that is drawn twice is twice in the subsets that it is in.
        rng: Where the replicates come from.
        coefficient: As in `by_system`.
        unit: As in `by_system`.
        groups: What texts of a subset are compared within, as in `groups.correlate`.
        undefined: As in `groups.correlate`.
        draws: As in `by_system`.
        level: As in `by_system`.

    Returns:
        No stability where fewer than 2 subsets have a value.
    """
    metric, human = np.asarray(metric, np.float64), np.asarray(human, np.float64)
    made = draw(_units(unit, metric), rng=rng, draws=draws)
    how = _How(coefficient, metric, human, groups, undefined)
    found, drawn = [], []
    for chosen in subsets.swapaxes(0, 1):
        each = [how.value(texts) for texts in chosen]
        found.append(_subset(each, metric, human, chosen))
        of_each = [
            how.drawn(texts, made)
            for texts, one in zip(chosen, each, strict=True)
            if one.value is not None
        ]
        if of_each:
            drawn.append(np.mean(of_each, axis=0))
    values = [subset.mean for subset in found if subset.mean is not None]
    n = int(_both(metric, human).sum())
    few = "fewer than 2 subsets with a correlation"
    return QualityDrift(tuple(found), _std(values, drawn, n, made, level, few))


def histogram(human: np.ndarray, subsets: np.ndarray, bins: int = BINS) -> Histogram:
    """Count the human scores of each subset, in bins of equal width.

    Args:
        human: Scores, shape (n,). Those that are missing or infinite are left out.
        subsets: One draw, shape (4, n), bool.
        bins: How many.
    """
    # Scores that differ by rounding only would make bins that no float fits in.
    human = tied(np.asarray(human, np.float64)[np.newaxis])[0]
    known = np.isfinite(human)
    edges = np.histogram_bin_edges(human[known], bins)
    counts = [np.histogram(human[texts & known], edges)[0] for texts in subsets]
    return Histogram(edges, np.array(counts))


def _subset(
    found: list[Coefficient], metric: np.ndarray, human: np.ndarray, chosen: np.ndarray
) -> Subset:
    """Of the repeated draws of one subset, (repeats, n)."""
    values = [one.value for one in found if one.value is not None]
    spreads = [_spread(metric[texts], human[texts]) for texts in chosen]
    known = [spread for spread in spreads if spread is not None]
    return Subset(
        mean=float(np.mean(values)) if values else None,
        std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        first=found[0],
        size=float(np.mean([one.n for one in found])),
        human_std=float(np.mean(known)) if known else None,
        reason=None if values else found[0].reason,
    )


class _How(NamedTuple):
    """How some of the texts, (n,) bool, are correlated."""

    coefficient: str
    metric: np.ndarray
    human: np.ndarray
    groups: np.ndarray | None = None
    undefined: Undefined = "drop"

    def _options(self, texts: np.ndarray) -> dict[str, Any]:
        groups = None if self.groups is None else self.groups[texts]
        how = {"groups": groups, "undefined": self.undefined}
        return {"coefficient": self.coefficient, **how}

    def value(self, texts: np.ndarray) -> Coefficient:
        found = correlate(
            self.metric[texts], self.human[texts], names=NAMES, **self._options(texts)
        )
        return Coefficient(found.value, found.reason, found.n)

    def drawn(self, texts: np.ndarray, made: Draws) -> np.ndarray:
        """The same in each replicate, (B,)."""
        pair = self.metric[texts], self.human[texts]
        found = replicates(*pair, made.only(texts), **self._options(texts))
        return found[:, 0, 0]


def _std(
    values: list[float],
    replicates: list[np.ndarray],
    n: int,
    made: Draws,
    level: float,
    few: str,
) -> Estimate:
    if len(values) < 2:
        return Estimate(None, n=n, reason=few)
    value = float(np.std(values, ddof=1))
    # NaN in one is NaN in all: a replicate counts where each has a value.
    variance = np.var(replicates, axis=0, ddof=1)
    known = variance[~np.isnan(variance)]
    # Percentiles as they come never cover a spread of 0, and one as large as the error
    # of an r in two cases of three (8 systems): chance adds to a replicate again.
    excess = max(known.mean() - value**2, 0.0) if len(known) else 0.0
    spread = np.sqrt(np.maximum(variance - 2 * excess, 0.0))
    if made.n_units < LEAST:
        return Estimate(value, n=n, reason=FEW_UNITS)
    return estimate(value, spread, n=n, n_units=made.n_units, level=level)


def _both(metric: np.ndarray, human: np.ndarray) -> np.ndarray:
    known: np.ndarray = ~(np.isnan(metric) | np.isnan(human))
    return known


def _spread(metric: np.ndarray, human: np.ndarray) -> float | None:
    """Standard deviation of the human scores that are used."""
    used = human[_both(metric, human)]
    if len(used) < 2 or np.isinf(used).any():
        return None
    return float(used.std(ddof=1))


def _units(unit: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.arange(len(like)) if unit is None else np.asarray(unit)
