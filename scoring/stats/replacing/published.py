"""The alternative annotator test as published: it takes texts as independent.

Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge",
arXiv 2501.10970.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

LEAST_TEXTS = 30  # of a rater
Q = 0.05  # share of false alarms among the raters
PASSES = 0.5  # of the raters
ROUNDING = 1e-24  # a variance of equal numbers


class Outcome(NamedTuple):
    """The tests of all raters together."""

    rejected: np.ndarray  # (R,) bool: the metric is not worse than the rater by epsilon
    winning_rate: float | None  # share of the raters; None = there is none
    passes: bool


def t_test(d: np.ndarray, epsilon: float) -> float:
    """Test that the rater is closer by less than epsilon.

    H0: mean d >= epsilon against H1: mean d < epsilon; t = (mean d - epsilon) /
    (s / sqrt(n)) with n - 1 degrees of freedom, one-sided.

    Args:
        d: 1 = the rater is closer, -1 = the metric is, 0 = neither, (n,).
        epsilon: What a rater costs more than the metric, in [0, 1].

    Returns:
        p in [0, 1]. Where all d are the same there is no t: p = 0 if they lie below
        epsilon, else 1. NaN with fewer than two texts.
    """
    n = len(d)
    if n < 2:
        return math.nan
    mean, variance = float(np.mean(d)), float(np.var(d, ddof=1))
    if variance <= ROUNDING:
        return 0.0 if mean < epsilon else 1.0
    t = (mean - epsilon) / math.sqrt(variance / n)
    return float(scipy.stats.t.cdf(t, n - 1))


def benjamini_yekutieli(p: np.ndarray, q: float = Q) -> np.ndarray:
    """Which hypotheses to reject so that few rejections are false, (m,) bool.

    The k smallest, with k the largest for which p_(k) <= k q / (m (1 + 1/2 + ... +
    1/m)) (Benjamini and Yekutieli 2001): however the tests depend on each other.

    Args:
        p: Of each test, (m,); NaN = not tested. It counts in m, and is not rejected.
        q: The expected share of false rejections among all.
    """
    m = len(p)
    order = np.argsort(p, kind="stable")  # NaN comes last
    steps = np.arange(1, m + 1)
    limits = steps * q / (m * (1 / steps).sum()) if m else np.empty(0)
    below = np.flatnonzero(p[order] <= limits)
    found = np.zeros(m, bool)
    if len(below):
        found[order[: below[-1] + 1]] = True
    return found


def outcome(p: np.ndarray, q: float = Q) -> Outcome:
    """The winning rate: the share of raters whom the metric may replace.

    Args:
        p: Of the test against each rater, (R,); NaN = refused: no win.
        q: As in `benjamini_yekutieli`.
    """
    rejected = benjamini_yekutieli(p, q)
    rate = float(rejected.mean()) if len(p) else None
    return Outcome(rejected, rate, rate is not None and rate >= PASSES)
