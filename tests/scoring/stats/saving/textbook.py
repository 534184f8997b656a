"""Prediction-powered means in their published form: what `ppi-python` computes.

Compared with that package. Studies use `correcting.py`: its weight
takes prompts together, and its mean of the metric includes the rated texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.counts import LEVEL


class Powered(NamedTuple):
    """A mean with its interval and the weight of the metric."""

    value: float
    low: float
    high: float
    weight: float


def mean(
    ratings: np.ndarray,
    rated: np.ndarray,
    unrated: np.ndarray,
    *,
    weight: float | None = None,
    level: float = LEVEL,
) -> Powered:
    """Estimate the mean rating from n rated texts and N that have scores only.

    theta = lambda mean(f_unrated) + mean(Y - lambda f_rated);
    se^2 = lambda^2 var(f_unrated) / N + var(Y - lambda f_rated) / n, var with ddof 0;
    lambda = cov(Y, f_rated) / ((1 + n / N) var(f)), cov with ddof 0 and var of all
    scores with ddof 1, clipped to [0, 1] (PPI++, Angelopoulos, Duchi and Zrnic 2024,
    example 6.1, as in ppi-python 0.2.3).

    Args:
        ratings: Of the rated texts, (n,), without gaps.
        rated: Their scores, (n,).
        unrated: Scores of the other texts, (N,).
        weight: Lambda; None estimates it.
        level: Nominal coverage, of the normal distribution.

    Returns:
        In the unit of ratings. The weight is NaN where all scores are equal.
    """
    n, more = len(ratings), len(unrated)
    if weight is None:
        covariance = float(((ratings - ratings.mean()) * (rated - rated.mean())).mean())
        variance = float(np.concatenate([rated, unrated]).var(ddof=1))
        ratio = covariance / ((1 + n / more) * variance) if variance else np.nan
        weight = float(np.clip(ratio, 0, 1))
    value = float(weight * unrated.mean() + (ratings - weight * rated).mean())
    imputed = (weight * unrated).var() / more
    rectified = (ratings - weight * rated).var() / n
    half = float(scipy.stats.norm.isf((1 - level) / 2) * np.sqrt(imputed + rectified))
    return Powered(value, value - half, value + half, weight)
