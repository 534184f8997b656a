"""Other ways to make one score of the scores of many evaluators."""

from __future__ import annotations

import numpy as np

WAYS = ("weighted", "mean", "max", "min")


def combined(s: np.ndarray, w: np.ndarray, way: str) -> np.ndarray:
    """Make one score of each text from the scores of its evaluators.

    "weighted": S = sum_j w_j s_j / sum_j w_j, eq. 1 of the paper on CTRLEval (Ke et al.
    2022), and the mean where all weights are 0, as in its released code. "mean", "max"
    and "min" ignore the weights: the ablations of its Table 5.

    Args:
        s: Scores of the evaluators of each text, shape (n, e). NaN = no such evaluator.
        w: Their weights, shape (n, e), 0 or more.
        way: One of WAYS.

    Returns:
        Shape (n,), in the unit of s; NaN where a text has no evaluator.

    Raises:
        ValueError: If `way` is unknown, or the shapes differ.

    >>> s, w = np.array([[0.2, 0.8, np.nan]]), np.array([[3.0, 1.0, np.nan]])
    >>> [round(float(combined(s, w, way)[0]), 3) for way in WAYS]
    [0.35, 0.5, 0.8, 0.2]
    """
    if way not in WAYS:
        raise ValueError(f"{way!r}: expected one of {', '.join(WAYS)}")
    s, w = np.asarray(s, np.float64), np.asarray(w, np.float64)
    if s.shape != w.shape:
        raise ValueError(f"expected weights of shape {s.shape}, got {w.shape}")
    known = ~np.isnan(s)
    some = known.any(axis=1)
    if way == "max":
        found = np.where(known, s, -np.inf).max(axis=1, initial=-np.inf)
    elif way == "min":
        found = np.where(known, s, np.inf).min(axis=1, initial=np.inf)
    else:
        weights = known.astype(np.float64)
        if way == "weighted":
            given = np.where(known & ~np.isnan(w), w, 0.0)
            weights = np.where(given.any(axis=1, keepdims=True), given, weights)
        # An evaluator without weight has no say, even if its score is infinite.
        counted = np.where(known & (weights > 0), s, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (weights * counted).sum(axis=1) / weights.sum(axis=1)
    return np.where(some, found, np.nan)
