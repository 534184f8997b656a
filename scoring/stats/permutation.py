"""Permutation tests of the difference of two correlations with human scores.

Deutsch, Dror & Roth (2021), "A statistical analysis of summarization evaluation
metrics using resampling methods", arXiv 2104.00054: if two metrics are equally good,
each score may as well be the other's, so swapping them gives the differences that
chance makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from scoring.stats._swapped import Layout, PearsonSums, layout, statistic
from scoring.stats.correlation import MIN_PAIRS
from scoring.stats.counts import MIN_DEFINED, SLAB, UNDEFINED

K = 1000
# Sums in another order differ by rounding; a replicate that equals the observed
# difference must count as such.
EQUAL = 1e-9
CONSTANT = 1e-12  # relative

# The first is the default.
ALLOWED = {
    "coefficient": ("pearson", "spearman", "kendall"),
    "design": ("both", "inputs", "systems"),
    "level": ("texts", "systems"),
    "undefined": ("drop", "zero"),
    "average": ("macro", "micro"),
}
POPULATION = {
    "both": "new outputs of these systems",
    "inputs": "new outputs of these systems",
    "systems": "new systems",
}


class Options(TypedDict, total=False):
    """What is compared, and what is swapped; all may be left out."""

    coefficient: str  # "pearson", "spearman" or "kendall" (tau-b)
    groups: np.ndarray | None  # correlate within each of these, then average
    undefined: str  # groups in which a metric is constant: "drop" them, or "zero"
    average: str  # "macro" = mean over groups, "micro" = weighted by their texts
    level: str  # "texts", or "systems" = correlate the means of systems
    design: str  # what is swapped with probability 1/2: "both" = each text by itself,
    # "inputs" = all texts of an input, "systems" = all texts of a system
    inputs: np.ndarray | None  # the prompt of each text, for that design
    systems: np.ndarray | None  # the system of each text, for that design or level


class PermTest(NamedTuple):
    """Difference of two correlations with its two-sided p, or why there is none."""

    difference: float | None  # first minus second
    p: float | None  # [0, 1]
    reason: str | None  # why p, and perhaps the difference, is None
    n: int  # texts with all three scores
    k: int  # replicates that have a value
    smallest_p: float  # what p can be at least: with few units to swap, this is large
    population: str  # what the claim is about


class PermAll(NamedTuple):
    """All pairs of M metrics."""

    difference: np.ndarray  # (M, M), row minus column; NaN = none
    p: np.ndarray  # (M, M) symmetric; NaN = no test
    k: int
    smallest_p: float
    population: str


class _Plan(NamedTuple):
    """What is computed in each replicate, and what is swapped."""

    coefficient: str
    z: np.ndarray
    groups: np.ndarray | None
    systems: np.ndarray | None  # set iff the correlation is of systems' means
    undefined: str
    average: str
    swaps: np.ndarray  # (k, n) bool
    units: np.ndarray  # (n,) what is swapped together
    population: str


def perm_both(
    x1: np.ndarray,
    x2: np.ndarray,
    z: np.ndarray,
    *,
    rng: np.random.Generator,
    k: int = K,
    **options: Unpack[Options],
) -> PermTest:
    """Test whether two metrics correlate differently with the same human scores.

    Both metrics are z-scored over all texts, as swapping would else mix their scales.
    delta_b = g(x1 swapped) - g(x2 swapped);
    p = (1 + #{|delta_b| >= |delta|}) / (k + 1).
    Where texts share prompts, swap "inputs": swapping single texts takes them for
    independent, and errs both ways where a metric follows the prompt as such, as length
    does (benchmarks/level_of_tests.md).

    Args:
        x1: Scores of the one metric, higher is better, shape (n,). NaN = missing; a
            text that lacks any of the three is left out.
        x2: Scores of the same texts by the other metric, likewise.
        z: Human scores.
        rng: Draws the swaps.
        k: How many replicates.
        options: What g is and what is swapped: see `Options`.

    Returns:
        p is None with a reason if a metric or the human scores are constant or
        infinite, with too few texts or units, or where more than 5 % of the replicates
        are undefined. It is 1 for a metric and itself.

    Raises:
        ValueError: If an option is unknown, or needs inputs or systems that were not
            given.
    """
    x1, x2 = np.asarray(x1, np.float64), np.asarray(x2, np.float64)
    return _test(x1, x2, _plan(z, rng, k, options))


def perm_all(
    x: np.ndarray,
    z: np.ndarray,
    *,
    rng: np.random.Generator,
    k: int = K,
    **options: Unpack[Options],
) -> PermAll:
    """Do `perm_both` for each two of many metrics, by the same swaps.

    Args:
        x: Scores, shape (n, M), NaN = missing. Pearson's r of metrics that have all
            scores takes matrix products only; each other pair is computed by itself,
            on the texts that have both.
        z: Human scores, shape (n,).
        rng: As in `perm_both`.
        k: As in `perm_both`.
        options: As in `perm_both`.
    """
    x = np.asarray(x, np.float64)
    plan = _plan(z, rng, k, options)
    n_metrics = x.shape[1]
    difference, p = np.full((2, n_metrics, n_metrics), np.nan)
    quick = _quick(x, plan)
    if len(quick) >= 2:
        _fill_quick(x[:, quick], plan, quick, difference, p)
    for i in range(n_metrics):
        for j in range(i + 1, n_metrics):
            if i in quick and j in quick:
                continue
            found = _test(x[:, i], x[:, j], plan)
            if found.difference is not None:
                difference[i, j], difference[j, i] = found.difference, -found.difference
            if found.p is not None:
                p[i, j] = p[j, i] = found.p
    n_units = len(np.unique(plan.units[~np.isnan(plan.z)]))
    return PermAll(difference, p, k, _smallest(n_units, k), plan.population)


def _plan(z: np.ndarray, rng: np.random.Generator, k: int, options: Options) -> _Plan:
    """Check what was asked for and draw the swaps."""
    z = np.asarray(z, np.float64)
    for name, allowed in ALLOWED.items():
        if (given := options.get(name, allowed[0])) not in allowed:
            wanted = ", ".join(allowed)
            raise ValueError(f"{name} {given!r}: expected one of {wanted}")
    design, level = options.get("design", "both"), options.get("level", "texts")
    inputs, systems = options.get("inputs"), options.get("systems")
    units = {"both": np.arange(len(z)), "inputs": inputs, "systems": systems}[design]
    if units is None:
        raise ValueError(f"design {design!r} needs the {design} of the texts")
    if level == "systems" and systems is None:
        raise ValueError("level 'systems' needs the systems of the texts")
    names, at = np.unique(units, return_inverse=True)
    swaps = rng.integers(0, 2, size=(k, len(names)), dtype=np.uint8).astype(bool)
    return _Plan(
        options.get("coefficient", "pearson"),
        z,
        options.get("groups") if level == "texts" else None,
        systems if level == "systems" else None,
        options.get("undefined", "drop"),
        options.get("average", "macro"),
        swaps[:, at.reshape(-1)],
        at.reshape(-1),
        POPULATION[design],
    )


def _test(x1: np.ndarray, x2: np.ndarray, plan: _Plan) -> PermTest:
    rows = ~(np.isnan(x1) | np.isnan(x2) | np.isnan(plan.z))
    n = int(rows.sum())

    def none(reason: str, difference: float | None = None) -> PermTest:
        return PermTest(difference, None, reason, n, 0, 1.0, plan.population)

    if n < MIN_PAIRS:
        return none(f"fewer than {MIN_PAIRS} texts with all three scores")
    names = ("first metric", "second metric", "human scores")
    for scores, name in zip((x1[rows], x2[rows], plan.z[rows]), names, strict=True):
        if np.isinf(scores).any():
            return none(f"{name}: some are infinite")
        if _constant(scores):
            return none(f"{name}: all the same")
    made = _layout(rows, plan)
    if made.n_groups == 0:
        return none("no group has enough texts with different human scores")
    first, second = _standard(x1[rows]), _standard(x2[rows])
    delta = float(_delta(first, second, np.zeros((1, n), bool), made, plan)[0])
    if np.isnan(delta):
        return none("a metric is the same within each group")
    n_units = len(np.unique(plan.units[rows]))
    if n_units < 2:
        return none("only one unit to swap", delta)
    swaps = plan.swaps[:, rows]
    parts = [
        _delta(first, second, swaps[part], made, plan)
        for part in _slabs(len(swaps), made.n_numbers)
    ]
    replicates = np.concatenate(parts)[:, np.newaxis]
    p, k = _p(np.array([delta]), replicates)
    least = _smallest(n_units, int(k[0]))
    if np.isnan(p[0]):
        return PermTest(delta, None, UNDEFINED, n, int(k[0]), least, plan.population)
    return PermTest(delta, float(p[0]), None, n, int(k[0]), least, plan.population)


def _smallest(n_units: int, k: int) -> float:
    """No swap at all and all swapped are as far apart, of 2^units in all."""
    return min(1.0, max(1 / (k + 1), 2.0 ** (1 - n_units)))


def _p(delta: np.ndarray, replicates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p of each column of replicates (k, P), and how many are defined."""
    k = np.isfinite(replicates).sum(axis=0)
    far = (np.abs(replicates) >= np.abs(delta) - EQUAL).sum(axis=0)
    enough = k >= max(1, MIN_DEFINED * len(replicates))
    return np.where(enough & np.isfinite(delta), (1 + far) / (k + 1), np.nan), k


def _delta(
    x1: np.ndarray, x2: np.ndarray, swaps: np.ndarray, made: Layout, plan: _Plan
) -> np.ndarray:
    """Difference of the two correlations in each replicate, (b,)."""
    ours = statistic(np.where(swaps, x2, x1), made, plan.coefficient, plan.undefined)
    theirs = statistic(np.where(swaps, x1, x2), made, plan.coefficient, plan.undefined)
    return ours - theirs


def _quick(x: np.ndarray, plan: _Plan) -> list[int]:
    """Metrics for which matrix products do: they have every score, and vary."""
    if plan.coefficient != "pearson" or plan.systems is not None:
        return []
    rows = ~np.isnan(plan.z)  # one that is infinite is taken for constant, below
    if (
        len(np.unique(plan.units[rows])) < 2
        or rows.sum() < MIN_PAIRS
        or _constant(plan.z[rows])
    ):
        return []
    return [
        m
        for m in range(x.shape[1])
        if np.isfinite(x[rows, m]).all() and not _constant(x[rows, m])
    ]


def _fill_quick(
    x: np.ndarray,
    plan: _Plan,
    columns: list[int],
    difference: np.ndarray,
    p: np.ndarray,
) -> None:
    rows = ~np.isnan(plan.z)
    made = _layout(rows, plan)
    if made.n_groups == 0:
        return
    scores = np.column_stack([_standard(column) for column in x[rows].T])
    first, second = np.triu_indices(len(columns), 1)
    sums = PearsonSums(scores, made, plan.undefined)
    delta = sums.delta(np.zeros((1, len(scores)), bool), first, second)[0]
    swaps = plan.swaps[:, rows]
    parts = [
        sums.delta(swaps[part], first, second)
        for part in _slabs(len(swaps), sums.n_numbers)
    ]
    i, j = np.array(columns)[first], np.array(columns)[second]
    difference[i, j], difference[j, i] = delta, -delta
    p[i, j] = p[j, i] = _p(delta, np.concatenate(parts))[0]


def _layout(rows: np.ndarray, plan: _Plan) -> Layout:
    groups = None if plan.groups is None else np.asarray(plan.groups)[rows]
    systems = None if plan.systems is None else np.asarray(plan.systems)[rows]
    return layout(plan.z[rows], groups, systems, plan.coefficient, plan.average)


def _slabs(k: int, width: int) -> Iterator[slice]:
    step = max(1, SLAB // max(1, width))
    for start in range(0, k, step):
        yield slice(start, start + step)


def _standard(scores: np.ndarray) -> np.ndarray:
    # Probabilities of whole texts are so small that their squares are 0.
    scores = scores / np.abs(scores).max()
    return (scores - scores.mean()) / scores.std()


def _constant(scores: np.ndarray) -> bool:
    """Also of infinite scores."""
    return bool(np.ptp(scores) <= CONSTANT * np.abs(scores).max())
