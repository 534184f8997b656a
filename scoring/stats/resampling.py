"""Correlations of every metric with every aspect in every replicate of a bootstrap.

Nothing is copied: a replicate is a vector of counts (`counts.py`), and each coefficient
is written in sums of counts.
"""

from __future__ import annotations

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import _kendall, _spearman
from scoring.stats._columns import ROUNDING, blocks, both, standardised, vary
from scoring.stats.correlation import MIN_PAIRS, check
from scoring.stats.counts import SLAB, Draws

# Where only this share of the sum of squares is left after the mean is taken off,
# rounding has eaten digits: such replicates are computed again, with their own means.
CANCELLED = 1e-2


def weighted(
    coefficient: str,
    x: np.ndarray,
    y: np.ndarray,
    draws: Draws,
    *,
    exact: bool = True,
    least: int = MIN_PAIRS,
) -> np.ndarray:
    """Correlate each metric with each aspect in each replicate.

    The same as scipy on the sample in which each row stands as often as it was drawn:
    r = (sum w x y - sum w x sum w y / N) / sqrt(...) with N = sum w; rho from midranks
    of that sample, which are sums of counts; tau-b from counts of pairs of rows.

    Args:
        coefficient: "pearson", "spearman" or "kendall".
        x: Metric scores, shape (n, M). NaN = missing.
        y: Human scores of the same rows, shape (n, A). NaN = missing: a pair of columns
            uses the rows that it has, as if it were alone.
        draws: How often the replicates have each row.
        exact: False ranks the scores once instead of in each replicate, for Spearman: a
            screen's worth of accuracy, several times faster.
        least: Rows below which a pair of columns, or a replicate, has no value.

    Returns:
        Shape (B, M, A), in [-1, 1]. NaN where a side is constant in the replicate, or
        infinite, or where too few rows are left.

    Raises:
        ValueError: If the coefficient is unknown or the rows do not match.
    """
    check(coefficient)
    x, y = both(x, y)
    if len(x) != draws.n_rows:
        raise ValueError(f"expected replicates of {len(x)} rows, got {draws.n_rows}")
    found = np.full((len(draws), x.shape[1], y.shape[1]), np.nan)
    if len(draws) == 0:
        return found
    for block in blocks(x, y):
        kept = draws if len(block.rows) == len(x) else draws.only(block.rows)
        part_x, part_y = x[np.ix_(block.rows, block.metrics)], y[block.rows]
        part_y = part_y[:, block.aspects]
        metrics, aspects = vary(part_x), vary(part_y)
        if len(block.rows) < least or not (metrics.any() and aspects.any()):
            continue
        values = _complete(
            coefficient, part_x[:, metrics], part_y[:, aspects], kept, exact
        )
        values[_n_rows(kept) < least] = np.nan
        cells = np.ix_(block.metrics[metrics], block.aspects[aspects])
        found[:, *cells] = values
    return found


def sizes(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    """Rows that each replicate has of each pair of columns, (B, M, A)."""
    x, y = both(x, y)
    found = np.zeros((len(draws), x.shape[1], y.shape[1]))
    for block in blocks(x, y):
        n = _n_rows(draws.only(block.rows))
        found[:, *block.cells] = n[:, np.newaxis, np.newaxis]
    return found


def human_varies(
    x: np.ndarray, y: np.ndarray, draws: Draws, least: int = MIN_PAIRS
) -> np.ndarray:
    """Whether the human scores of a pair of columns differ in a replicate, (B, M, A).

    False, too, where the replicate has fewer than `least` rows of the pair.
    """
    x, y = both(x, y)
    found = np.zeros((len(draws), x.shape[1], y.shape[1]), bool)
    for block in blocks(x, y):
        kept = draws.only(block.rows)
        for aspect in block.aspects:
            human = y[block.rows, aspect]
            itself = weighted("pearson", human, human, kept, least=least)
            found[:, block.metrics, aspect] = np.isfinite(itself[:, 0])
    return found


def _n_rows(draws: Draws) -> np.ndarray:
    return totals(draws, np.ones((draws.n_rows, 1)))[:, 0]


def _complete(
    coefficient: str, x: np.ndarray, y: np.ndarray, draws: Draws, exact: bool
) -> np.ndarray:
    """Columns without gaps, which vary."""
    if coefficient == "kendall":
        return _kendall.kendall(x, y, draws)
    if coefficient == "spearman" and exact:
        return _spearman.spearman(x, y, draws)
    if coefficient == "spearman":
        x, y = scipy.stats.rankdata(x, axis=0), scipy.stats.rankdata(y, axis=0)
    return _pearson(standardised(x), standardised(y), draws)


def _pearson(x: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
    n, n_x, n_y = len(x), x.shape[1], y.shape[1]
    xy = (x[:, :, np.newaxis] * y[:, np.newaxis, :]).reshape(n, -1)
    sums = totals(draws, np.hstack([np.ones((n, 1)), x, y, x * x, y * y, xy]))
    total, sum_x, sum_y, square_x, square_y, products = np.split(
        sums, np.cumsum([1, n_x, n_y, n_x, n_y]), axis=1
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x = square_x - sum_x**2 / total
        spread_y = square_y - sum_y**2 / total
        shared = products.reshape(-1, n_x, n_y)
        shared -= sum_x[:, :, np.newaxis] * (sum_y / total)[:, np.newaxis, :]
        r = shared / np.sqrt(spread_x[:, :, np.newaxis] * spread_y[:, np.newaxis, :])
    lost = (spread_x <= CANCELLED * square_x).any(axis=1)
    lost |= (spread_y <= CANCELLED * square_y).any(axis=1)
    step = max(1, SLAB // (n * (n_x + n_y)))
    for start in range(0, int(lost.sum()), step):
        which = np.flatnonzero(lost)[start : start + step]
        r[which] = _with_own_means(x, y, draws.rows(which))
    return np.clip(r, -1, 1, out=r)


def _with_own_means(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Replicates with their own means, so that nothing cancels, (b, n) -> (b, M, A)."""
    (x, in_x), (y, in_y) = _centred(x, w), _centred(y, w)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = x.transpose(0, 2, 1) @ y
    return np.where(in_x[:, :, np.newaxis] & in_y[:, np.newaxis, :], r, np.nan)


def _centred(scores: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores times sqrt(w), mean 0 and length 1, (b, n, k), and whether they vary."""
    drawn = (w > 0)[:, :, np.newaxis]
    high = np.where(drawn, scores, -np.inf).max(axis=1)
    low = np.where(drawn, scores, np.inf).min(axis=1)
    w = w[:, :, np.newaxis]
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = scores - (w * scores).sum(axis=1, keepdims=True) / w.sum(
            axis=1, keepdims=True
        )
        apart *= np.sqrt(w)
        apart /= np.sqrt((apart * apart).sum(axis=1, keepdims=True))
        return apart, high - low > ROUNDING * np.maximum(np.abs(high), np.abs(low))


def totals(draws: Draws, values: np.ndarray) -> np.ndarray:
    """Sum over the rows of each replicate, (n, k) -> (B, k).

    Rows that are always drawn together are added up once, before the replicates.
    """
    found = np.empty((len(draws), values.shape[1]))
    if len(draws.counts) > 1:
        for part in draws.slabs():
            found[part] = draws.rows(part) @ values
        return found
    counts, at = draws.counts[0], draws.at[0]
    units, sums = by_unit(at, values)
    step = max(1, SLAB // max(1, len(units)))
    for start in range(0, len(draws), step):
        part = slice(start, start + step)
        found[part] = counts[part, units].astype(np.float64) @ sums
    return found


def by_unit(at: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The units that have rows, and the sums of their rows, (units, k)."""
    if len(at) == 0:
        return at, np.zeros((0, values.shape[1]))
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.diff(at[order], prepend=-1))
    return at[order][starts], np.add.reduceat(values[order], starts, axis=0)
