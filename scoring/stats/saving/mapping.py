"""A metric's scores on the human scale: the rating that each text can expect."""

from __future__ import annotations

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
    order = np.argsort(scores, kind="stable")
    return crossed(scores, ratings, dealt(at, rng, folds), order, shape=shape)


def dealt(
    prompt: np.ndarray, rng: np.random.Generator, folds: int = FOLDS
) -> np.ndarray:
    """The fold of each text, (n,), by its prompt, (n,) int from 0."""
    n_prompts = prompt.max(initial=-1) + 1
    return np.asarray((rng.permutation(n_prompts) % folds).astype(np.int8)[prompt])


def crossed(
    scores: np.ndarray,
    ratings: np.ndarray,
    fold: np.ndarray,
    order: np.ndarray,
    *,
    shape: Shape = "isotonic",
) -> np.ndarray:
    """As `expected`, with folds that were dealt before, and scores sorted before.

    Args:
        scores: As in `expected`.
        ratings: As in `expected`.
        fold: Of each text, (n,).
        order: Which sorts the scores, those that are missing last, (n,).
        shape: As in `expected`.
    """
    fit = _isotonic if shape == "isotonic" else _linear
    scores, ratings, fold = scores[order], ratings[order], fold[order]
    known = np.flatnonzero(~np.isnan(ratings))
    there, found = np.isfinite(scores), np.zeros(len(order))
    for k in range(fold.max(initial=-1) + 1):
        used, here = known[fold[known] != k], np.flatnonzero(fold == k)
        found[here] = float(ratings[used].mean()) if len(used) else 0.0
        used, here = used[there[used]], here[there[here]]
        x, y = scores[used], ratings[used]
        if len(x) >= LEAST and x[-1] > x[0]:
            found[here] = fit(x, y, scores[here])
    placed = np.empty(len(order))
    placed[order] = found
    return placed


def _linear(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    centred = x - x.mean()
    slope = (centred @ y) / (centred @ centred)
    return np.asarray(y.mean() + slope * (at - x.mean()))


def _isotonic(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Takes x and the places in rising order: then neither is searched for."""
    sign = 1 if (x - x.mean()) @ y >= 0 else -1
    x, y = sign * x[::sign], y[::sign]
    first = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
    n = np.diff(first, append=len(x))
    means = np.add.reduceat(y, first) / n
    steps = scipy.optimize.isotonic_regression(means, weights=n).x
    return np.interp(sign * at, x[first], steps)
