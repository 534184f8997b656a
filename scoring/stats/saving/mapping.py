"""A metric's scores on the human scale: the rating that each text can expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy  # loads scipy.optimize, which takes a second, when it is first used

Shape = Literal["isotonic", "linear"]
FOLDS = 5
LEAST = 10  # rated texts that a map is fitted to: with fewer it is their mean


def expected(
    scores: np.ndarray,
    ratings: np.ndarray,
    prompts: np.ndarray,
    *,
    rng: np.random.Generator,
    shape: Shape = "isotonic",
    folds: int = FOLDS,
) -> np.ndarray:
    """Map scores to the human scale, with maps that were fitted on other prompts.

    Prompts are dealt at random into folds; the texts of a fold, rated or not, get
    f = m(score), where m is fitted by least squares to the rated texts of the other
    folds: the best monotone step function, joined by lines, or the best line. Its
    direction is the sign of their covariance. So no text has a share in its own map
    (cross-prediction, Zrnic and Candes 2024).

    Args:
        scores: Of a metric, (n,), NaN = missing: such a text gets the mean rating.
        ratings: Mean rating of each text, (n,), NaN = not rated.
        prompts: Of each text, (n,), of any kind.
        rng: Deals the prompts.
        shape: "isotonic" or "linear".
        folds: How many.

    Returns:
        (n,) float in the range of the ratings if isotonic. Constant in a fold whose map
        had fewer than 10 rated texts with a score; 0 everywhere if nothing is rated.
    """
    at = np.unique(prompts, return_inverse=True)[1].reshape(-1)
    n_prompts = at.max(initial=-1) + 1
    fold = (rng.permutation(n_prompts) % folds)[at]
    fit = _isotonic if shape == "isotonic" else _linear
    found, rated = np.zeros(len(at)), np.isfinite(ratings)
    for k in range(min(folds, n_prompts)):
        used, here = rated & (fold != k), fold == k
        found[here] = _mapped(fit, scores, ratings, used, scores[here])
    return found


def _mapped(
    fit: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    scores: np.ndarray,
    ratings: np.ndarray,
    used: np.ndarray,
    at: np.ndarray,
) -> np.ndarray:
    """The map fitted to the rows used, of the scores at hand."""
    usual = float(ratings[used].mean()) if used.any() else 0.0
    found, there = np.full(len(at), usual), np.isfinite(at)
    used = used & np.isfinite(scores)
    x, y = scores[used], ratings[used]
    if len(x) >= LEAST and np.ptp(x) > 0:
        found[there] = fit(x, y, at[there])
    return found


def _linear(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    centred = x - x.mean()
    slope = (centred @ y) / (centred @ centred)
    return np.asarray(y.mean() + slope * (at - x.mean()))


def _isotonic(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    sign = 1.0 if (x - x.mean()) @ y >= 0 else -1.0
    values, where, n = np.unique(sign * x, return_inverse=True, return_counts=True)
    means = np.bincount(where, y) / n
    steps = scipy.optimize.isotonic_regression(means, weights=n).x
    return np.interp(sign * at, values, steps)
