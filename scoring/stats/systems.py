"""Correlations of whole systems: of the mean score of each with its mean human score.

With few systems such a number is worth little: its interval over prompts says what
other prompts would change, for these systems; only an interval over systems says what
other systems would.
"""

from __future__ import annotations

import numpy as np

from scoring.stats._columns import ROUNDING, Block, blocks, both, places, tied
from scoring.stats._grouped import split
from scoring.stats._kendall import signs
from scoring.stats.correlation import MIN_PAIRS, Coefficient, Names, check, named
from scoring.stats.counts import Draws
from scoring.stats.resampling import totals

NAMES = ("metric scores", "human scores")


def system_level(
    x: np.ndarray,
    y: np.ndarray,
    systems: np.ndarray,
    *,
    coefficient: str,
    common_only: bool = True,
    names: Names = NAMES,
) -> Coefficient:
    """Correlate the systems' mean scores.

    Args:
        x: Metric scores, shape (n,). NaN = missing.
        y: Human scores of the same rows.
        systems: The system of each row, of any kind.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).
        common_only: Means over the rows that have both scores; False takes each mean
            over all the rows that it has, such as the metric's over texts that nobody
            rated.
        names: What x and y are, for the reason.

    Returns:
        The coefficient of the means, with n = systems that have both; None with a
        reason if they are fewer than 3, or one side is constant. Means that differ by
        rounding only are ties.
    """
    x, y = both(x, y)
    check(coefficient)
    at, n_systems = places(systems, len(x), "system")
    if common_only:
        rows = np.flatnonzero(~(np.isnan(x) | np.isnan(y))[:, 0])
        x, y, at = x[rows], y[rows], at[rows]
    mean_x, mean_y = (
        system_means(scores, at, n_systems, _once(len(at)))[:, :, 0]
        for scores in (x, y)
    )
    if coefficient != "pearson":
        mean_x, mean_y = tied(mean_x), tied(mean_y)
    return named(coefficient, mean_x[0], mean_y[0], names)


def system_replicates(
    x: np.ndarray,
    y: np.ndarray,
    systems: np.ndarray,
    draws: Draws,
    *,
    coefficient: str,
    common_only: bool = True,
) -> np.ndarray:
    """The number of `system_level`, of all pairs of columns, in each replicate.

    Where whole systems are drawn, a system counts as often as it was drawn; where rows
    of systems are, as with prompts, its means are those of the rows drawn.

    Args:
        x: Metrics, (n, M). NaN = missing.
        y: Aspects of the same rows, (n, A). NaN = missing.
        systems: As in `system_level`.
        coefficient: As in `system_level`.
        common_only: As in `system_level`.
        draws: How often the replicates have each row.

    Returns:
        Shape (B, M, A); NaN with fewer than 3 systems drawn, or where one side is
        constant.
    """
    x, y = both(x, y)
    check(coefficient)
    at, n_systems = places(systems, len(x), "system")
    found = np.full((len(draws), x.shape[1], y.shape[1]), np.nan)
    if n_systems == 0:
        return found
    # An infinite score has no place in a mean: the column has no value at all.
    x, y = (np.where(np.isinf(s).any(axis=0), np.nan, s) for s in (x, y))
    whole, cutting = split(draws, at, n_systems)
    occurs = whole.rows() if whole.counts else np.ones((len(draws), n_systems))
    inner = cutting if cutting.counts else _once(len(x))
    everything = Block(np.arange(x.shape[1]), np.arange(y.shape[1]), np.arange(len(x)))
    for metrics, aspects, rows in blocks(x, y) if common_only else [everything]:
        part = at[rows], n_systems, inner.only(rows)
        means_x = system_means(x[rows][:, metrics], *part)
        means_y = system_means(y[rows][:, aspects], *part)
        for i, j in np.ndindex(len(metrics), len(aspects)):
            pair = means_x[:, :, i], means_y[:, :, j]
            found[:, metrics[i], aspects[j]] = _weighted(coefficient, *pair, occurs)
    return found


def system_means(
    scores: np.ndarray, systems: np.ndarray, n_systems: int, draws: Draws
) -> np.ndarray:
    """Mean score of each system in each replicate.

    mean_s = sum w x / sum w over the texts of s that have a score.

    Args:
        scores: Of texts, (n,) or (n, k). NaN = missing.
        systems: The system of each text, (n,), from 0; others (NONE) are left out.
        n_systems: How many systems there are.
        draws: How often the replicates have each text.

    Returns:
        (B, S), or (B, S, k); NaN where a replicate has no score of the system.
    """
    columns = scores[:, np.newaxis] if scores.ndim == 1 else scores
    present = ~np.isnan(columns)
    values = np.hstack([np.where(present, columns, 0), present])
    found = np.full((len(draws), n_systems, columns.shape[1]), np.nan)
    for system in range(n_systems):
        rows = np.flatnonzero(systems == system)
        with np.errstate(invalid="ignore"):  # of infinite scores
            total, n = np.split(totals(draws.only(rows), values[rows]), 2, axis=1)
            np.divide(total, n, out=found[:, system], where=n > 0)
    return found[:, :, 0] if scores.ndim == 1 else found


def _once(n: int) -> Draws:
    """One replicate, which has each row once."""
    return Draws((np.ones((1, n), np.uint16),), (np.arange(n),))


def _weighted(
    coefficient: str, x: np.ndarray, y: np.ndarray, occurs: np.ndarray
) -> np.ndarray:
    """Correlate means (B, systems) in which systems occur so often, -> (B,)."""
    x, y, w = np.broadcast_arrays(x, y, occurs)
    w = np.where(np.isfinite(x) & np.isfinite(y), w, 0)
    x, y = np.where(w > 0, x, np.nan), np.where(w > 0, y, np.nan)
    enough = w.sum(axis=1) >= MIN_PAIRS
    varies = _varies(x) & _varies(y)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if coefficient == "kendall":
            r = _tau(tied(x), tied(y), w)
        elif coefficient == "spearman":
            r = _pearson(_midranks(tied(x), w), _midranks(tied(y), w), w)
        else:
            r = _pearson(x, y, w)
    return np.where(enough & varies, np.clip(r, -1, 1), np.nan)


def _varies(scores: np.ndarray) -> np.ndarray:
    """Whether the means that are there differ by more than rounding, (B,)."""
    high = np.where(np.isnan(scores), -np.inf, scores).max(axis=1)
    low = np.where(np.isnan(scores), np.inf, scores).min(axis=1)
    return high - low > ROUNDING * np.maximum(np.abs(high), np.abs(low))


def _midranks(scores: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Midranks where each mean stands w times, less one half, (B, systems)."""
    ranks = np.zeros(w.shape)
    for other in range(w.shape[1]):
        value = scores[:, other, np.newaxis]
        ahead = (scores > value) + 0.5 * (scores == value)
        ranks += w[:, other, np.newaxis] * ahead
    return ranks


def _pearson(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    x, y = np.where(w > 0, x, 0), np.where(w > 0, y, 0)
    total = w.sum(axis=1, keepdims=True)
    x = x - (w * x).sum(axis=1, keepdims=True) / total
    y = y - (w * y).sum(axis=1, keepdims=True) / total
    spread = (w * x * x).sum(axis=1) * (w * y * y).sum(axis=1)
    return (w * x * y).sum(axis=1) / np.sqrt(spread)


def _tau(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    excess, untied_x, untied_y = np.zeros((3, len(w)))
    for other in range(w.shape[1]):
        sign_x, sign_y = (signs(s, s[:, other, np.newaxis]) for s in (x, y))
        pairs = w * w[:, other, np.newaxis]
        excess += (pairs * sign_x * sign_y).sum(axis=1)
        untied_x += (pairs * np.abs(sign_x)).sum(axis=1)
        untied_y += (pairs * np.abs(sign_y)).sum(axis=1)
    return excess / np.sqrt(untied_x * untied_y)
