"""Correlations averaged over groups of texts, and correlations of whole systems.

Grouped by prompt, a correlation compares texts that answer the same prompt; by system,
texts of one system; flat, all texts with each other. Deutsch et al. (2021), "A
Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods".
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from scoring.stats._columns import both, places
from scoring.stats._grouped import InGroups, in_groups, least_rows, split
from scoring.stats.correlation import COEFFICIENTS, Names, named
from scoring.stats.counts import Draws
from scoring.stats.resampling import human_varies, sizes, totals, weighted
from scoring.stats.systems import system_level as system_level
from scoring.stats.systems import system_replicates as system_replicates

Undefined = Literal["drop", "zero"]
Average = Literal["macro", "micro"]
NAMES = ("metric scores", "human scores")


class GroupedCoefficient(NamedTuple):
    """A coefficient averaged over groups, or why there is none, and its basis."""

    value: float | None  # [-1, 1]
    reason: str | None  # why value is None
    n: int  # pairs in the groups that count, or systems
    n_groups: int = 1  # groups that count; 1 where there is no grouping
    n_undefined_metric: int = 0  # groups in which only the metric is constant
    n_undefined_human: int = 0  # groups in which the human scores are all the same
    n_small: int = 0  # groups with too few pairs


def correlate(
    x: np.ndarray,
    y: np.ndarray,
    *,
    coefficient: str,
    groups: np.ndarray | None = None,
    undefined: Undefined = "drop",
    average: Average = "macro",
    names: Names = NAMES,
) -> GroupedCoefficient:
    """Correlate within each group, and average.

    value = mean of r_g over the groups g (macro), or sum n_g r_g / sum n_g (micro).

    Args:
        x: Metric scores, shape (n,). NaN = missing; a pair with a gap is left out.
        y: Human scores of the same rows.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).
        groups: The group of each row, of any kind: the prompt for "by item", the system
            for "by system"; None = all rows are one group.
        undefined: What a group counts in which only the metric is constant: nothing
            ("drop"), or 0 ("zero": a metric that cannot tell texts apart that people
            can). A group whose human scores are all the same says nothing of the
            metric, and is always dropped.
        average: "macro" or "micro".
        names: What x and y are, for the reason.

    Returns:
        The average, None with a reason if no group has a value, or a score is infinite.
        A group needs 3 pairs, or 2 for Kendall.

    Raises:
        ValueError: If an option is unknown or the shapes do not match.
    """
    _check(coefficient, undefined, average)
    if groups is None:
        return _flat(x, y, coefficient, names)
    x, y = both(x, y)
    at, n_groups = places(groups, len(x), "group")
    for scores, name in zip((x, y), names, strict=True):
        if np.isinf(scores).any():
            return GroupedCoefficient(None, f"{name}: some are infinite", 0, 0, 0, 0, 0)
    found = in_groups(coefficient, x, y, at, n_groups)
    least = least_rows(coefficient)
    values, counts = policy(found, undefined, least)
    sizes = found.n * counts
    weights = sizes if average == "micro" else counts
    large = found.n >= least
    constant = large & found.human_varies & ~found.metric_varies
    basis = {
        "n": int(sizes.sum()),
        "n_groups": int(counts.sum()),
        "n_undefined_metric": int(constant.sum()),
        "n_undefined_human": int((large & ~found.human_varies).sum()),
        "n_small": int((~large).sum()),
    }
    if not counts.any():
        return GroupedCoefficient(None, _reason(found, least, names), **basis)
    average_value = float((weights * values).sum() / weights.sum())
    return GroupedCoefficient(average_value, None, **basis)


def _flat(
    x: np.ndarray, y: np.ndarray, coefficient: str, names: Names
) -> GroupedCoefficient:
    value, reason, n = named(coefficient, x, y, names)
    return GroupedCoefficient(value, reason, n, int(value is not None), 0, 0, 0)


def policy(
    found: InGroups, undefined: Undefined, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """What groups count as: values without NaN, and 1 where they count or 0, (G, M, A).

    Args:
        found: From `in_groups`.
        undefined: As in `correlate`.
        least: Rows that a group needs.
    """
    counts = np.isfinite(found.values)
    values = np.where(counts, found.values, 0)
    if undefined == "zero":
        counts |= (found.n >= least) & found.human_varies & ~found.metric_varies
    return values, counts.astype(int)


def _reason(found: InGroups, least: int, names: Names) -> str:
    large = found.n >= least
    if not large.any():
        return f"no group has {least} pairs of scores"
    if not found.human_varies[large].any():
        return f"{names[1]}: all the same in every group"
    if not found.metric_varies[large].any():
        return f"{names[0]}: all the same in every group"
    return "in every group one side is all the same"


def replicates(
    x: np.ndarray,
    y: np.ndarray,
    draws: Draws,
    *,
    coefficient: str,
    groups: np.ndarray | None = None,
    undefined: Undefined = "drop",
    average: Average = "macro",
    exact: bool = True,
) -> np.ndarray:
    """The number of `correlate`, of all pairs of columns, in each replicate.

    Where the units that were drawn hold whole groups, as prompts hold the texts that
    answer them, the r_g are fixed and a group counts as often as it was drawn: one
    matrix product. Where they cut through groups, as prompts through systems, the r_g
    are those of the rows drawn. A product of designs may do both.

    Args:
        x: Metrics, (n, M). NaN = missing.
        y: Aspects of the same rows, (n, A). NaN = missing.
        draws: How often the replicates have each row.
        coefficient: As in `correlate`.
        groups: As in `correlate`.
        undefined: As in `correlate`.
        average: As in `correlate`.
        exact: As in `weighted`.

    Returns:
        Shape (B, M, A); NaN where no group has a value.
    """
    _check(coefficient, undefined, average)
    x, y = both(x, y)
    if groups is None:
        return weighted(coefficient, x, y, draws, exact=exact)
    at, n_groups = places(groups, len(x), "group")
    if n_groups == 0:
        return np.full((len(draws), x.shape[1], y.shape[1]), np.nan)
    # As in one group: an infinite score leaves its column without any value.
    x, y = (np.where(np.isinf(s).any(axis=0), np.nan, s) for s in (x, y))
    whole, cutting = split(draws, at, n_groups)
    if cutting.counts:
        options = coefficient, undefined, average, exact
        return _of_rows_drawn(x, y, at, whole, cutting, options)
    found = in_groups(coefficient, x, y, at, n_groups)
    values, weights = policy(found, undefined, least_rows(coefficient))
    if average == "micro":
        weights = weights * found.n
    flat = (n_groups, -1)
    total = totals(whole, (weights * values).reshape(flat))
    weight = totals(whole, weights.reshape(flat))
    return _ratio(total, weight).reshape(len(draws), x.shape[1], y.shape[1])


def _of_rows_drawn(
    x: np.ndarray,
    y: np.ndarray,
    at: np.ndarray,
    whole: Draws,
    cutting: Draws,
    options: tuple[str, Undefined, Average, bool],
) -> np.ndarray:
    """Each group's value from those of its rows that the replicate has."""
    coefficient, undefined, average, exact = options
    least = least_rows(coefficient)
    total, weight = np.zeros((2, len(cutting), x.shape[1], y.shape[1]))
    for group in range(at.max() + 1):
        rows = np.flatnonzero(at == group)
        part = x[rows], y[rows], cutting.only(rows)
        values = weighted(coefficient, *part, exact=exact, least=least)
        counts = np.isfinite(values)
        values[~counts] = 0
        if undefined == "zero":
            counts |= human_varies(*part, least)
        weights = counts.astype(np.float64)
        if whole.counts:
            weights *= whole.only(np.array([group])).rows()[:, :, np.newaxis]
        if average == "micro":
            weights *= sizes(*part)
        total += weights * values
        weight += weights
    return _ratio(total, weight)


def _ratio(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.divide(total, weight, out=np.full(total.shape, np.nan), where=weight > 0)


def _check(coefficient: str, undefined: str, average: str) -> None:
    for value, known in (
        (coefficient, COEFFICIENTS),
        (undefined, get_args(Undefined)),
        (average, get_args(Average)),
    ):
        if value not in known:
            raise ValueError(f"{value!r}: expected one of {', '.join(known)}")
