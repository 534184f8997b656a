"""Krippendorff's alpha of many weighted replicates at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.sparse when it is first used

from scoring.stats.counts import SLAB
from scoring.stats.jackknife import LeaveOut

# Codes of rows stay below this, so that no product of two counts can overflow.
MAX_CODE = 2**62
AT_ONCE = 100_000  # ratings: of all, each array takes a hundred megabytes


class Patterns(NamedTuple):
    """The different rows of a table: 100,000 texts of 5 ratings have some 200."""

    rows: np.ndarray  # (P, V)
    times: np.ndarray  # (P,) how often each occurs
    at: np.ndarray  # (n,) the pattern of each row


def patterns(counts: np.ndarray) -> Patterns:
    """Find the rows of a table that differ.

    Much faster than `np.unique(axis=0)`, which compares rows byte by byte: a row is
    written as one number, in a system whose base is the largest count of a column.

    Args:
        counts: Whole numbers, 0 or more, shape (n, V).
    """
    code, size = np.zeros(len(counts), np.int64), 1
    for column in counts.T:
        base = int(column.max(initial=0)) + 1
        if size * base > MAX_CODE:
            _, code = np.unique(code, return_inverse=True)
            size = len(code)
        code, size = code * base + column, size * base
    _, first, at, times = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    return Patterns(counts[first], times, at)


def without_each(found: Patterns, left: LeaveOut) -> Iterator[np.ndarray]:
    """Count patterns where each unit of rows is left out in turn.

    Args:
        found: The patterns of n rows.
        left: Of these rows.

    Yields:
        Weights of the patterns, (b, P), some replicates at a time.
    """
    (counts,), (at,) = left.draws.counts, left.draws.at
    n, width = len(found.at), len(found.times)
    if n == 0:
        yield np.zeros((0, width))
        return
    inside = scipy.sparse.coo_array(
        (np.ones(n), (found.at, at)), shape=(width, counts.shape[1])
    ).tocsr()
    step = max(1, SLAB // max(1, width))
    for start in range(0, len(counts), step):
        part = counts[start : start + step].astype(np.float64)
        yield np.ascontiguousarray((inside @ part.T).T)


def alphas(
    weights: np.ndarray, counts: np.ndarray, values: np.ndarray, level: str
) -> np.ndarray:
    """Alpha of each replicate, as in `agreement.alpha`.

    With n_c = sum of the counts of value c, n = sum n_c, and D_o and D_e summed, not
    averaged: alpha = 1 - (n - 1) D_o / D_e, where D_e = sum_ck n_c n_k d_ck and
    D_o = sum_u sum_ck (n_uc n_uk - [c = k] n_uc) d_ck / (m_u - 1).

    Args:
        weights: How often each replicate has each unit, (B, P).
        counts: How many raters gave unit p the value c, (P, V). Units with fewer than
            two ratings count for nothing.
        values: (V,), in rising order.
        level: As in `agreement.alpha`.

    Returns:
        (B,); NaN where a replicate has fewer than two values.
    """
    found = disagreement(weights, counts, values, level)
    defined = (found.n_values >= 2) & (found.expected > 0)
    ratio = np.full(len(found.n), np.nan)
    disagreed = (found.n - 1) * found.observed
    np.divide(disagreed, found.expected, out=ratio, where=defined)
    return 1 - ratio


class Disagreement(NamedTuple):
    """Sums over all coincidences of each replicate, (B,)."""

    observed: np.ndarray  # D_o
    expected: np.ndarray  # D_e, of all pairs: (n - 1) times that of n ratings
    n: np.ndarray  # ratings that can be compared
    n_values: np.ndarray  # different ones of them


def disagreement(
    weights: np.ndarray, counts: np.ndarray, values: np.ndarray, level: str
) -> Disagreement:
    """What `alphas` is made of; arguments as there."""
    m = counts.sum(axis=1)
    counts = np.where(m[:, np.newaxis] >= 2, counts, 0).astype(np.float64)
    share = weights / np.maximum(m - 1, 1)
    n = weights @ counts
    if level in ("ordinal", "interval"):
        x = positions(n, values, level)
        observed, expected = _by_position(share, counts, n, x)
    else:
        d = distances(values, n, level)
        observed = share @ ((counts @ d) * counts).sum(axis=1)
        expected = ((n @ d) * n).sum(axis=1)
    return Disagreement(observed, expected, n.sum(axis=1), (n > 0).sum(axis=1))


def positions(n: np.ndarray, values: np.ndarray, level: str) -> np.ndarray:
    """Points whose squared differences are d: (B, V) mean ranks, or (1, V) values.

    About their middle, so that squares do not lose the digits of differences.

    Args:
        n: How many ratings have each value, (B, V).
        values: (V,), in rising order.
        level: "ordinal" or "interval".
    """
    if level == "ordinal":
        return np.cumsum(n, axis=1) - n / 2 - n.sum(axis=1, keepdims=True) / 2
    times = n.sum(axis=0)
    x = values.astype(np.float64)
    return (x - x @ times / max(1.0, times.sum()))[np.newaxis]


def distances(values: np.ndarray, n: np.ndarray, level: str) -> np.ndarray:
    """Squared difference of each two values, (V, V); `n` is (1, V) for ordinal data."""
    if level in ("ordinal", "interval"):
        x = positions(n, values, level)[0]
        return (x[:, np.newaxis] - x) ** 2
    c, k = values[:, np.newaxis].astype(np.float64), values.astype(np.float64)
    if level == "nominal":
        return (c != k).astype(np.float64)
    return np.divide(c - k, c + k, out=np.zeros_like(c + k), where=c + k != 0) ** 2


def _by_position(
    share: np.ndarray, counts: np.ndarray, n: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squared differences from sums of squares: no array of V x V.

    Of a unit with sum s and sum of squares q: sum_ck n_uc n_uk d_ck = 2 (m q - s^2).
    """
    m = counts.sum(axis=1, keepdims=True)
    squares = ((share @ (counts * m)) * x**2).sum(axis=1)
    sums = (share * (x @ counts.T) ** 2).sum(axis=1)
    expected = n.sum(axis=1) * (n * x**2).sum(axis=1) - (n * x).sum(axis=1) ** 2
    return np.maximum(2 * (squares - sums), 0), 2 * expected


def alphas_without(
    counts: np.ndarray,
    values: np.ndarray,
    level: str,
    ratings: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """Alpha when all ratings of one rater are taken away, for each rater.

    What a rater's own units contribute is replaced; the others are summed once.

    Args:
        counts: How many raters gave unit u the value c, (U, V).
        values: (V,), in rising order.
        level: As in `agreement.alpha`.
        ratings: Unit, value (as a column of `counts`) and rater of each rating, three
            times (k,): one of a rater and unit at most. Raters are 0, ..., R - 1.

    Returns:
        (R,); NaN where fewer than two values are left.
    """
    m = counts.sum(axis=1)
    unit, column, rater = ratings
    n_raters = int(rater.max(initial=-1)) + 1
    unit, column, rater = (part[m[unit] >= 2] for part in ratings)
    counts = np.where(m[:, np.newaxis] >= 2, counts, 0).astype(np.float64)
    n = np.tile(counts.sum(axis=0), (n_raters, 1))
    last = m[unit] == 2  # the one rating that stays has none to be compared with
    np.subtract.at(n, (rater[~last], column[~last]), 1)
    np.subtract.at(n, rater[last], counts[unit[last]])
    own = (counts, unit, column, rater)
    if level == "ordinal":
        observed, expected = _by_position_without(own, n, positions(n, values, level))
    else:
        d = distances(values, n[:1], level)
        observed = _by_distance_without(own, n_raters, d)
        expected = ((n @ d) * n).sum(axis=1)
    defined = ((n > 0).sum(axis=1) >= 2) & (expected > 0)
    ratio = np.full(n_raters, np.nan)
    rest = (n.sum(axis=1) - 1) * np.maximum(observed, 0)
    np.divide(rest, expected, out=ratio, where=defined)
    return 1 - ratio


Own = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _by_position_without(
    own: Own, n: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squared differences where each rater's absence moves all positions."""
    counts, *ratings = own
    m = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(m - 1, 1)
    together = ((x @ (counts.T @ share)) * x).sum(axis=1)
    observed = x**2 @ (share * m).sum(axis=0) - together
    del share
    changed = np.zeros(len(n))
    for start in range(0, len(ratings[0]), AT_ONCE):
        unit, column, rater = (part[start : start + AT_ONCE] for part in ratings)
        changed += np.bincount(rater, _lost(counts[unit], column, x[rater]), len(n))
    expected = n.sum(axis=1) * (n * x**2).sum(axis=1) - (n * x).sum(axis=1) ** 2
    return 2 * (observed - changed), 2 * expected


def _lost(rows: np.ndarray, column: np.ndarray, at: np.ndarray) -> np.ndarray:
    """What the unit of a rating loses without it, (k,).

    Args:
        rows: Counts of its unit, (k, V).
        column: Which of the values it is, (k,).
        at: Positions of the values without its rater, (k, V).
    """
    m, mine = rows.sum(axis=1), at[np.arange(len(at)), column]
    s, q = (rows * at).sum(axis=1), (rows * at**2).sum(axis=1)
    before = (m * q - s**2) / (m - 1)
    after = ((m - 1) * (q - mine**2) - (s - mine) ** 2) / np.maximum(m - 2, 1)
    return np.asarray(before - np.where(m > 2, after, 0))


def _by_distance_without(own: Own, n_raters: int, d: np.ndarray) -> np.ndarray:
    """Sums of squared differences that do not depend on the other ratings."""
    counts, unit, column, rater = own
    m = counts.sum(axis=1)
    to_each = counts @ d
    within = (to_each * counts).sum(axis=1)
    before = within / np.maximum(m - 1, 1)
    after = (within[unit] - 2 * to_each[unit, column]) / np.maximum(m[unit] - 2, 1)
    left = np.where(m[unit] > 2, after, 0)
    return before.sum() - np.bincount(rater, before[unit] - left, n_raters)
