"""Correlations with people, as numbers whose intervals and tests are over prompts.

Three questions of one table: the mean of the prompts' correlations, the correlation of
all texts, and the correlation within prompts of all texts together. Each gives a
`Jackknifed`, so that any of them from the same prompts can be contrasted and tested.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import _kendall
from scoring.stats._columns import blocks, both, places, vary
from scoring.stats._grouped import FEW_ROWS, alike, in_groups, least_rows
from scoring.stats.cluster_t import degrees
from scoring.stats.correlation import check
from scoring.stats.counts import SLAB, Draws
from scoring.stats.groups import Average, Undefined, policy, replicates
from scoring.stats.jackknife import Jackknifed, LeaveOut, jackknifed
from scoring.stats.resampling import by_unit


def mean_of_groups(
    x: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    units: np.ndarray | None = None,
    *,
    coefficient: str,
    undefined: Undefined = "zero",
    average: Average = "macro",
) -> Jackknifed:
    """The mean of the prompts' correlations, of all pairs of columns.

    r = sum_g w_g r_g / sum_g w_g with w_g = 1 (macro) or n_g (micro); without unit u it
    is the same of the others, in closed form. With one group a unit and macro, the
    jackknife is t over the r_g. Tested on Fisher's z with a longer tail: the r_g of few
    texts are skewed, and plain t covers 0.86 to 0.94 with 10 to 20 prompts.

    Args:
        x: Metrics, (n, M), or one, (n,). NaN = missing.
        y: Aspects of the same rows, (n, A) or (n,). NaN = missing.
        groups: What texts are compared within, (n,): mostly the prompt.
        units: What is left out together, (n,), whole groups each; None = each group.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).
        undefined: A group in which only x is constant counts as 0 ("zero"), or is left
            out ("drop", as most published recipes do). Where y is, it is left out.
        average: "macro" or "micro".

    Returns:
        Shape (M, A). NaN where no group counts; a group needs 3 pairs, Kendall 2.

    Raises:
        ValueError: If the coefficient is unknown, shapes do not match, or a unit cuts
            through a group.
    """
    check(coefficient)
    x, y = both(x, y)
    at, n_groups = places(groups, len(x), "group")
    unit, n_units = places(groups if units is None else units, len(x), "unit")
    of_group = np.zeros(n_groups, np.intp)
    of_group[at] = unit
    if (of_group[at] != unit).any():
        raise ValueError("units: expected each to hold whole groups")
    x, y = (np.where(np.isinf(s).any(axis=0), np.nan, s) for s in (x, y))
    found = in_groups(coefficient, x, y, at, n_groups)
    values, counts = policy(found, undefined, least_rows(coefficient))
    weight = counts * found.n if average == "micro" else counts
    weight, total = (
        _summed(part, of_group, n_units) for part in (weight, weight * values)
    )
    return of_ratio(total, weight)


def _summed(values: np.ndarray, at: np.ndarray, n: int) -> np.ndarray:
    """Sums of the rows of each unit, (n, ...)."""
    _, sums = by_unit(at, values.reshape(len(values), -1).astype(np.float64))
    return sums.reshape(n, *values.shape[1:])


def of_ratio(total: np.ndarray, weight: np.ndarray) -> Jackknifed:
    """Leave out each unit of sum total / sum weight; both are (U, ...)."""
    sums, weights = total.sum(axis=0), weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = sums / weights
        deviation = value - (sums - total) / (weights - weight)
    n = (weight > 0).sum(axis=0)
    deviation = np.where((weight > 0) | (n == 0), deviation, 0.0)
    factor = (n - 1) / np.maximum(n, 1)
    return Jackknifed(
        value, deviation, factor[np.newaxis], degrees(weight), n, "skewed"
    )


def of_texts(
    x: np.ndarray,
    y: np.ndarray,
    left: LeaveOut,
    *,
    coefficient: str,
    groups: np.ndarray | None = None,
    undefined: Undefined = "zero",
    average: Average = "macro",
) -> Jackknifed:
    """The correlation of all texts, of all pairs of columns; tested on Fisher's z.

    Also of groups that prompts cut through, such as the texts of each system: then the
    mean of the groups' correlations, each without the unit that is left out.

    Args:
        x: As in `mean_of_groups`.
        y: As in `mean_of_groups`.
        left: From `jackknife.leave_out` of the prompts of these rows.
        coefficient: As in `mean_of_groups`.
        groups: Of the rows, (n,); None = all texts with each other.
        undefined: As in `mean_of_groups`.
        average: As in `mean_of_groups`.

    Returns:
        Shape (M, A). NaN with fewer than 3 pairs, or where a side is constant.
    """
    x, y = both(x, y)

    def found(draws: Draws) -> np.ndarray:
        return replicates(
            x,
            y,
            draws,
            coefficient=coefficient,
            groups=groups,
            undefined=undefined,
            average=average,
        )

    return jackknifed(found(once(len(x)))[0], found(left.draws), left, "fisher")


def correlations(
    x: np.ndarray,
    y: np.ndarray,
    left: LeaveOut,
    *,
    coefficient: str,
    groups: np.ndarray | None = None,
    undefined: Undefined = "zero",
    average: Average = "macro",
) -> Jackknifed:
    """`mean_of_groups` where the units hold whole groups, and else `of_texts`.

    Arguments, result and errors as there.
    """
    options = {"coefficient": coefficient, "undefined": undefined, "average": average}
    if groups is not None and holds_whole(left, groups):
        return mean_of_groups(x, y, groups, left.draws.at[0], **options)  # type: ignore[arg-type]
    return of_texts(x, y, left, groups=groups, **options)  # type: ignore[arg-type]


def holds_whole(left: LeaveOut, groups: np.ndarray | None) -> bool:
    """Whether each unit holds the rows of its groups whole."""
    if groups is None or len(left.draws.at) > 1:
        return False
    (unit,) = left.draws.at
    at, n_groups = places(groups, len(unit), "group")
    of_group = np.zeros(n_groups, np.intp)
    of_group[at] = unit
    return bool((of_group[at] == unit).all())


def once(n: int) -> Draws:
    """One replicate, which has each row once."""
    return Draws((np.ones((1, n), np.uint16),), (np.arange(n),))


def pooled_within(
    x: np.ndarray, y: np.ndarray, groups: np.ndarray, *, coefficient: str
) -> Jackknifed:
    """One correlation of all texts after what differs between prompts is taken off.

    r = sum_g C_g / sqrt(sum_g V_g sum_g W_g). Pearson: C, V, W are the sums of products
    and squares of scores less their prompt's mean (the within-groups correlation of
    analysis of covariance). Spearman: the same of midranks within prompts. Kendall:
    C = concordant less discordant pairs of a prompt, V and W its pairs untied in x and
    in y. Needs no rule for ties: a prompt in which one side is constant adds nothing
    above, and what the other side varies below. Tested on Fisher's z.

    Args:
        x: As in `mean_of_groups`.
        y: As in `mean_of_groups`.
        groups: The prompt of each row, which is also the unit.
        coefficient: As in `mean_of_groups`.

    Returns:
        Shape (M, A); NaN where a side is constant in every prompt. A prompt needs two
        texts.
    """
    check(coefficient)
    x, y = both(x, y)
    at, n_groups = places(groups, len(x), "group")
    shape = n_groups, x.shape[1], y.shape[1]
    c, v, w = np.zeros((3, *shape))
    x, y = (np.where(np.isinf(s).any(axis=0), np.nan, s) for s in (x, y))
    n = np.zeros(shape, int)
    for block in blocks(x, y):
        metrics, aspects = block.cells
        of_row = at[block.rows]
        sizes = np.bincount(of_row, minlength=n_groups)
        n[:, metrics, aspects] = np.where(sizes > 1, sizes, 0)[:, None, None]
        for which, members in alike(of_row, sizes, 2):
            rows = block.rows[members]
            cells = (which[:, np.newaxis, np.newaxis], metrics, aspects)
            part_x, part_y = x[rows][..., block.metrics], y[rows][..., block.aspects]
            c[cells], v[cells], w[cells] = _sums(coefficient, part_x, part_y)
    return of_sums(c, v, w, n)


def of_sums(c: np.ndarray, v: np.ndarray, w: np.ndarray, n: np.ndarray) -> Jackknifed:
    """Leave out each unit of sum C / sqrt(sum V sum W), (U, ...); n counts texts."""

    def ratio(c: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            there = np.minimum(v, w) > 0
            return np.clip(np.where(there, c / np.sqrt(v * w), np.nan), -1, 1)

    of_all = [part.sum(axis=0) for part in (c, v, w)]
    # What is left of a sum without its only part is rounding, not a spread.
    rest = [
        np.where(whole - part > 1e-12 * whole, whole - part, 0.0)
        for whole, part in zip(of_all[1:], (v, w), strict=True)
    ]
    value = ratio(*of_all)
    deviation = value - ratio(of_all[0] - c, *rest)
    units = ((v > 0) | (w > 0)).sum(axis=0)
    factor = (units - 1) / np.maximum(units, 1)
    return Jackknifed(value, deviation, factor[np.newaxis], degrees(n), units, "fisher")


def _sums(
    coefficient: str, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Groups (g, s, M) and (g, s, A) to C, V and W, (g, M, A) or broadcast to it."""
    if coefficient == "kendall":
        return _pairs(x, y)
    if coefficient == "spearman":
        x, y = scipy.stats.rankdata(x, axis=1), scipy.stats.rankdata(y, axis=1)
    x, y = (
        np.where(vary(s, axis=1)[:, None], s - s.mean(axis=1, keepdims=True), 0.0)
        for s in (x, y)
    )
    squares = ((s * s).sum(axis=1) for s in (x, y))
    v, w = squares
    return x.transpose(0, 2, 1) @ y, v[:, :, np.newaxis], w[:, np.newaxis, :]


def _pairs(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c = np.empty((len(x), x.shape[2], y.shape[2]))
    v, w = np.empty((len(x), x.shape[2])), np.empty((len(x), y.shape[2]))
    for part in _parts(x, y):
        if x.shape[1] > FEW_ROWS:
            _pairs_of_many(x[part], y[part], c[part], v[part], w[part])
            continue
        first, second = np.triu_indices(x.shape[1], 1)
        sign_x, sign_y = (
            _kendall.signs(s[part][:, first], s[part][:, second]) for s in (x, y)
        )
        c[part] = sign_x.transpose(0, 2, 1) @ sign_y
        v[part], w[part] = (np.abs(s).sum(axis=1) for s in (sign_x, sign_y))
    return c, v[:, :, np.newaxis], w[:, np.newaxis, :]


def _parts(x: np.ndarray, y: np.ndarray) -> Iterator[slice]:
    n_pairs = x.shape[1] * (x.shape[1] - 1) // 2
    step = max(1, SLAB // (n_pairs * (x.shape[2] + y.shape[2])))
    for start in range(0, len(x), step):
        yield slice(start, start + step)


def _pairs_of_many(
    x: np.ndarray, y: np.ndarray, c: np.ndarray, v: np.ndarray, w: np.ndarray
) -> None:
    """Large groups one by one, without an array of pairs."""
    for group, m, a in np.ndindex(c.shape):
        c[group, m, a] = _kendall.excess(x[group, :, m], y[group, :, a])
    for scores, untied in ((x, v), (y, w)):
        for group, column in np.ndindex(untied.shape):
            _, times = np.unique(scores[group, :, column], return_counts=True)
            n = scores.shape[1]
            untied[group, column] = (n * n - (times**2).sum()) / 2


def telling(y: np.ndarray, groups: np.ndarray, *, least: int = 3) -> np.ndarray:
    """How many prompts tell good from bad: people's means are not all equal.

    Args:
        y: Human scores, (n, A) or (n,). NaN = not rated.
        groups: The prompt of each row, (n,).
        least: Rated texts that a prompt needs; 2 for shares of pairs.

    Returns:
        (A,) int.
    """
    y, _ = both(y, y)
    at, n_groups = places(groups, len(y), "group")
    high, low = np.full((2, n_groups, y.shape[1]), -np.inf)
    there = ~np.isnan(y)
    np.maximum.at(high, at, np.where(there, y, -np.inf))
    np.maximum.at(low, at, np.where(there, -y, -np.inf))
    n = _summed(there, at, n_groups)
    with np.errstate(invalid="ignore"):
        differ = high + low > 1e-12 * np.maximum(np.abs(high), np.abs(low))
    found: np.ndarray = ((n >= least) & differ).sum(axis=0)
    return found
