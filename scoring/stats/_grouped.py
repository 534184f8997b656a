"""Coefficients inside every group at once, for all metrics and aspects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats._columns import blocks, vary
from scoring.stats._kendall import signs
from scoring.stats.correlation import MIN_PAIRS
from scoring.stats.counts import SLAB, Draws

# Groups of up to so many rows are compared pair by pair, all groups at once.
FEW_ROWS = 64


class InGroups(NamedTuple):
    """Of each group, metric and aspect, (G, M, A)."""

    values: np.ndarray  # NaN where undefined
    n: np.ndarray  # rows that have both scores
    metric_varies: np.ndarray
    human_varies: np.ndarray


def least_rows(coefficient: str) -> int:
    """Rows below which a group has no value: two always lie on a line."""
    return 2 if coefficient == "kendall" else MIN_PAIRS


def in_groups(
    coefficient: str, x: np.ndarray, y: np.ndarray, at: np.ndarray, n_groups: int
) -> InGroups:
    """Correlate x (n, M) with y (n, A) among the rows of each group.

    Args:
        coefficient: "pearson", "spearman" or "kendall".
        x: Scores with gaps.
        y: Other scores of the same rows, with gaps.
        at: The group of each row, 0 to n_groups - 1.
        n_groups: How many groups there are.
    """
    shape = (n_groups, x.shape[1], y.shape[1])
    found = InGroups(
        np.full(shape, np.nan), np.zeros(shape, int), np.zeros(shape, bool),
        np.zeros(shape, bool),
    )  # fmt: skip
    for block in blocks(x, y):
        metrics, aspects = block.cells
        of_row = at[block.rows]
        sizes = np.bincount(of_row, minlength=n_groups)
        found.n[:, metrics, aspects] = sizes[:, np.newaxis, np.newaxis]
        for which, members in alike(of_row, sizes, least_rows(coefficient)):
            rows = block.rows[members]
            part_x, part_y = x[rows][..., block.metrics], y[rows][..., block.aspects]
            cells = (which[:, np.newaxis, np.newaxis], metrics, aspects)
            in_x = vary(part_x, axis=1)[:, :, np.newaxis]
            in_y = vary(part_y, axis=1)[:, np.newaxis, :]
            found.metric_varies[cells], found.human_varies[cells] = in_x, in_y
            values = _coefficients(coefficient, part_x, part_y)
            found.values[cells] = np.where(in_x & in_y, values, np.nan)
    return found


def alike(
    of_row: np.ndarray, sizes: np.ndarray, least: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Groups of one size, and the rows of each, (g, size)."""
    order = np.argsort(of_row, kind="stable")
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes[sizes >= least]):
        which = np.flatnonzero(sizes == size)
        yield which, order[starts[which][:, np.newaxis] + np.arange(size)]


def _coefficients(coefficient: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(g, s, M) and (g, s, A) -> (g, M, A); anything where a side does not vary."""
    if coefficient == "kendall":
        way = _tau if x.shape[1] <= FEW_ROWS else _tau_one_by_one
        return way(x, y)
    if coefficient == "spearman":
        x, y = scipy.stats.rankdata(x, axis=1), scipy.stats.rankdata(y, axis=1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        x, y = _unit(x), _unit(y)
    return np.clip(x.transpose(0, 2, 1) @ y, -1, 1)


def _unit(scores: np.ndarray) -> np.ndarray:
    """Mean 0 and length 1 along the rows, in the steps of scipy's pearsonr."""
    scores = scores - scores.mean(axis=1, keepdims=True)
    largest = np.abs(scores).max(axis=1, keepdims=True)  # lest squares overflow
    length = np.sqrt(((scores / largest) ** 2).sum(axis=1, keepdims=True))
    return scores / (largest * length)


def _tau(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Tau-b from the signs of all pairs of rows."""
    first, second = np.triu_indices(x.shape[1], 1)
    found = np.empty((len(x), x.shape[2], y.shape[2]))
    step = max(1, SLAB // (len(first) * (x.shape[2] + y.shape[2])))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        sign_x, sign_y = (signs(s[part, first], s[part, second]) for s in (x, y))
        untied_x = np.abs(sign_x).sum(axis=1)[:, :, np.newaxis]
        untied_y = np.abs(sign_y).sum(axis=1)[:, np.newaxis, :]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            excess = sign_x.transpose(0, 2, 1) @ sign_y
            found[part] = excess / np.sqrt(untied_x * untied_y)
    return np.clip(found, -1, 1)


def _tau_one_by_one(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    found = np.empty((len(x), x.shape[2], y.shape[2]))
    for group, metric, aspect in np.ndindex(found.shape):
        pair = x[group, :, metric], y[group, :, aspect]
        found[group, metric, aspect] = scipy.stats.kendalltau(*pair).statistic
    return found


def split(draws: Draws, at: np.ndarray, n_groups: int) -> tuple[Draws, Draws]:
    """Draws of whole groups, as rows = groups, and draws that cut through groups.

    A design whose units hold each group whole says how often the group occurs; any
    other says which of its rows do. Either may be without designs.
    """
    whole, cutting = [], []
    first = np.zeros(n_groups, np.intp)
    first[at[::-1]] = np.arange(len(at))[::-1]
    for counts, unit in zip(draws.counts, draws.at, strict=True):
        if (unit == unit[first][at]).all():
            whole.append((counts, unit[first]))
        else:
            cutting.append((counts, unit))
    return _made(whole), _made(cutting)


def _made(designs: list[tuple[np.ndarray, np.ndarray]]) -> Draws:
    return Draws(tuple(c for c, _ in designs), tuple(a for _, a in designs))
