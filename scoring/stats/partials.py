"""Partial correlations of every metric with every aspect in every replicate."""

from __future__ import annotations

import numpy as np

from scoring.stats._columns import blocks, both
from scoring.stats.correlation import MIN_PAIRS
from scoring.stats.counts import Draws
from scoring.stats.resampling import weighted

FIXED = 1e-12  # 1 - r^2 below this: the third score fixes the other


def partial_replicates(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    draws: Draws,
    *,
    coefficient: str,
) -> np.ndarray:
    """The number of `correlation.partial` in each replicate.

    r_xy.z = (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)).

    Args:
        x: Metrics, (n, M). NaN = missing.
        y: Aspects of the same rows, (n, A). NaN = missing.
        z: What is held fixed, such as the length, (n,). NaN = missing: only rows that
            have all three count.
        draws: How often the replicates have each row.
        coefficient: "pearson", "spearman" or "kendall" (tau-b).

    Returns:
        Shape (B, M, A), in [-1, 1]. NaN where a side is constant in the replicate,
        where z fixes x or y, or where fewer than 4 rows are left.

    Raises:
        ValueError: If the coefficient is unknown or the rows do not match.
    """
    x, y = both(x, y)
    z = np.asarray(z, np.float64)
    found = np.full((len(draws), x.shape[1], y.shape[1]), np.nan)
    for block in blocks(x, y):
        rows = block.rows[~np.isnan(z[block.rows])]
        ours, theirs = x[rows][:, block.metrics], y[rows][:, block.aspects]
        third, kept = z[rows, np.newaxis], draws.only(rows)
        xy, xz, zy = (
            weighted(coefficient, a, b, kept, least=MIN_PAIRS + 1)
            for a, b in ((ours, theirs), (ours, third), (third, theirs))
        )
        left_x, left_y = 1 - xz**2, 1 - zy**2
        left_x[left_x <= FIXED] = np.nan
        left_y[left_y <= FIXED] = np.nan
        values = (xy - xz * zy) / np.sqrt(left_x * left_y)
        found[:, *block.cells] = np.clip(values, -1, 1)
    return found
