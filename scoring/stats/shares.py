"""Shares of points that were won, with intervals."""

from __future__ import annotations

import numpy as np

from scoring.stats.counts import LEVEL, Draws, Estimate, estimate
from scoring.stats.resampling import totals


def share_of_points(points: np.ndarray, draws: Draws, level: float = LEVEL) -> Estimate:
    """Mean of points, with its interval.

    sum w x / sum w in each replicate; one that has none of the rows is undefined.

    Args:
        points: What each row won, mostly 0, 1/2 or 1, shape (n,), n > 0, no gaps.
        draws: How often the replicates have each row.
        level: Nominal coverage.

    >>> from scoring.stats.counts import draw
    >>> made = draw(np.arange(4), rng=np.random.default_rng(1))
    >>> share_of_points(np.array([1, 1, 0, 0.5]), made)[:4]
    (0.625, 0.25, 1.0, None)
    """
    points = np.asarray(points, np.float64)
    won, n = totals(draws, np.stack([points, np.ones_like(points)], axis=1)).T
    replicates = np.divide(won, n, out=np.full(len(draws), np.nan), where=n > 0)
    n_units = min(len(np.unique(at)) for at in draws.at)
    value = float(points.mean())
    return estimate(value, replicates, n=len(points), n_units=n_units, level=level)
