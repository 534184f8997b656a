"""Predictors that cannot know quality: a metric that does not beat them shows little.

Sentinels, after Perrella et al. (2024, arXiv 2408.13831). None sees the human score of
the text that it predicts: length and surface features learn from other prompts, prompt
and system from other texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats._columns import ROUNDING
from scoring.stats.answer import surface as surface_features

WORDS = surface_features.NAMES.index("words")
FOLDS = 10
# Strengths of the ridge penalty to choose from, for features of variance 1.
PENALTIES = tuple(10.0**k for k in range(-2, 5))
ONE_PROMPT = "there is only one prompt to learn from"
# Of the texts, so many must share their prompt (or system) with another one.
SHARED = 0.5


class Sentinel(NamedTuple):
    """What one predictor gives each text, or why there is none."""

    key: str  # "length", "surface", "prompt", "system"
    scores: np.ndarray  # (n,) NaN = the text has no human score
    reason: str | None  # why there are no scores


def folds(prompt: np.ndarray) -> np.ndarray:
    """A fold for each text, (n,): whole prompts, in turn, so that nothing is drawn."""
    names, at = np.unique(prompt, return_inverse=True)
    return at.reshape(-1) % max(1, min(FOLDS, len(names)))


def length(words: np.ndarray, y: np.ndarray, prompt: np.ndarray) -> Sentinel:
    """Number of words, longer or shorter being better as other prompts have it.

    x_i times the sign of cov(x, y) over the prompts of the other folds. Where all folds
    agree, its correlation is that of the length itself, but for the sign.

    Args:
        words: Of each text, (n,).
        y: Human scores, (n,), NaN = none.
        prompt: Of each text, (n,).
    """
    rated, fold, found = _start(y, prompt)
    if reason := _unfit(words[rated, np.newaxis], fold[rated]):
        return Sentinel("length", found, reason)
    x = words - words[rated].mean()
    for k in np.unique(fold[rated]):
        learn, use = rated & (fold != k), rated & (fold == k)
        apart = y[learn] - y[learn].mean()
        found[use] = x[use] * np.sign((x[learn] * apart).sum())
    return Sentinel("length", found, None)


def surface(features: np.ndarray, y: np.ndarray, prompt: np.ndarray) -> Sentinel:
    """Ridge regression on surface features, cross-fitted over prompts.

    b = (X'X + p I)^-1 X'y with X and y centred over the other folds and p the one of
    `PENALTIES` with the least leave-one-out error there. X has each feature, its square
    and its logarithm: people may like texts of middle length, which a line cannot know,
    and a metric that knows just that must not count as better than a guess (it did in
    84 % of studies of 50 prompts). Features other than length are used only where they
    lower that error by more than a standard error (the rule of Breiman et al. 1984):
    each one that is learned costs the guess a little, and such a metric then beat it in
    12 % of studies of 100 prompts. The intercept is left out of what it predicts: it is
    the mean of the other folds, which is low where this fold is high, and would
    correlate below zero by construction.

    Args:
        features: Of each text, (n, F).
        y: As in `length`.
        prompt: As in `length`.
    """
    rated, fold, found = _start(y, prompt)
    if reason := _unfit(features[rated], fold[rated]):
        return Sentinel("surface", found, reason)
    few, many = _curved(features[:, [WORDS]], rated), _curved(features, rated)
    for k in np.unique(fold[rated]):
        learn, use = rated & (fold != k), rated & (fold == k)
        of_few, of_many = ridge(few[learn], y[learn]), ridge(many[learn], y[learn])
        if _clearly_less(of_many.errors, of_few.errors):
            found[use] = many[use] @ of_many.coefficients
        else:
            found[use] = few[use] @ of_few.coefficients
    return Sentinel("surface", found, None)


def _clearly_less(errors: np.ndarray, others: np.ndarray) -> bool:
    """By more than a standard error of the mean difference."""
    gain = others - errors
    return bool(gain.mean() > gain.std() / len(gain) ** 0.5)


def _curved(features: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """Features, their squares and logarithms, of variance 1 among rated texts."""
    middle, spread = features[rated].mean(axis=0), features[rated].std(axis=0)
    varies = spread > ROUNDING * np.abs(features).max(axis=0, initial=0)
    x = (features - middle)[:, varies] / spread[varies]
    logs = np.log1p(np.abs(features[:, varies])) * np.sign(features[:, varies])
    X = np.hstack([x, x**2, logs])
    X = X - X[rated].mean(axis=0)
    curved = X[rated].std(axis=0)
    return X[:, curved > ROUNDING] / curved[curved > ROUNDING]


class Ridge(NamedTuple):
    """A fit under one penalty."""

    coefficients: np.ndarray  # (F,)
    errors: np.ndarray  # (n,) squared, of each text when it is left out


def ridge(X: np.ndarray, y: np.ndarray) -> Ridge:
    """Coefficients under the penalty with the least leave-one-out error.

    The residual of a text that is left out is e_i / (1 - h_i), with h the diagonal of
    X (X'X + p I)^-1 X' + 1/n (Golub, Heath & Wahba 1979).

    Args:
        X: Features, (n, F).
        y: What to predict, (n,).
    """
    X, y = X - X.mean(axis=0), y - y.mean()
    U, d, V = np.linalg.svd(X, full_matrices=False)
    projected = U.T @ y
    best, least = Ridge(np.zeros(X.shape[1]), (y - y.mean()) ** 2), np.inf
    for penalty in PENALTIES:
        shrunk = d**2 / (d**2 + penalty)
        h = (U**2) @ shrunk + 1 / len(y)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = ((y - U @ (shrunk * projected)) / (1 - h)) ** 2
        if (error := float(errors.mean())) < least:
            coefficients = V.T @ (d / (d**2 + penalty) * projected)
            best, least = Ridge(coefficients, errors), error
    return best


def elsewhere(human: np.ndarray, system: np.ndarray, prompt: np.ndarray) -> np.ndarray:
    """What people think of a text's system, from its texts of other prompts.

    (sum over the system - sum over the system and prompt) / (n - n of the prompt): who
    knows only which system wrote a text, and how good that one is, would say this.

    Args:
        human: Mean ratings, (n,), without the rater that is compared.
        system: Of each text, (n,) int; negative = unknown.
        prompt: Of each text, (n,).

    Returns:
        (n,); the mean of all that is predicted where the system is unknown or wrote
        nothing else. All NaN where nothing can be predicted.
    """
    known = system >= 0
    cells, cell = np.unique(np.stack([system, prompt]), axis=1, return_inverse=True)
    cell = cell.reshape(-1)
    of_cell, in_cell = np.bincount(cell, human), np.bincount(cell)
    at = np.unique(cells[0], return_inverse=True)[1]
    total, n = np.bincount(at, of_cell), np.bincount(at, in_cell)
    left = (n[at] - in_cell)[cell]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (total[at] - of_cell)[cell] / left
    use = known & (left > 0)
    mean[~use] = mean[use].mean() if use.any() else np.nan
    return mean


def from_ratings(
    key: str, prompt: np.ndarray, system: np.ndarray, y: np.ndarray
) -> Sentinel:
    """What ratings of other texts say: of the prompt ("prompt"), or of the system in
    other prompts ("system").

    Args:
        key: Which.
        prompt: Of each text, (n,).
        system: Of each text, (n,) int; negative = unknown.
        y: Human scores, (n,), NaN = none.
    """
    if key == "prompt":
        return others("prompt", prompt, y)
    rated, scores = ~np.isnan(y), np.full(len(y), np.nan)
    if len(np.unique(system[rated & (system >= 0)])) < 2:
        return Sentinel(key, scores, "there are fewer than two systems")
    scores[rated] = elsewhere(y[rated], system[rated], prompt[rated])
    if np.isnan(scores[rated]).all():
        return Sentinel(key, scores, ONE_PROMPT)
    return Sentinel(key, scores, None)


def others(key: str, group: np.ndarray, y: np.ndarray, unknown: int = -1) -> Sentinel:
    """The mean human score of the other texts of a group: of a prompt, of a system.

    (sum of the group - y_i) / (n - 1). Where a text has no others, what can be said is
    nothing: it gets the mean of all that is predicted. Within one group these means
    correlate at exactly -1 with the scores: never compare texts of one group by them.

    Args:
        key: "prompt" or "system".
        group: Of each text, (n,) int.
        y: Human scores, (n,), NaN = none.
        unknown: The number of no group.
    """
    rated, found = ~np.isnan(y), np.full(len(y), np.nan)
    use = rated & (group != unknown)
    names, at = np.unique(group[use], return_inverse=True)
    n, total = np.bincount(at), np.bincount(at, y[use])
    shared = n[at] > 1
    if len(names) < 2:
        return Sentinel(key, found, f"there are fewer than two {key}s")
    if shared.sum() < SHARED * rated.sum():
        reason = f"most texts share their {key} with no other rated text"
        return Sentinel(key, found, reason)
    rows = np.flatnonzero(use)[shared]
    found[rows] = (total[at] - y[use])[shared] / (n[at] - 1)[shared]
    found[rated & np.isnan(found)] = found[rows].mean()
    return Sentinel(key, found, None)


def _start(
    y: np.ndarray, prompt: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which texts are rated, their folds, and no prediction yet."""
    rated, fold = ~np.isnan(y), np.zeros(len(y), np.int64)
    fold[rated] = folds(prompt[rated])
    return rated, fold, np.full(len(y), np.nan)


def _unfit(features: np.ndarray, fold: np.ndarray) -> str | None:
    """Why nothing can be learned."""
    if len(np.unique(fold)) < 2:
        return ONE_PROMPT
    if not np.isfinite(features).all():
        return "not known for all texts"
    if features.size == 0 or not np.ptp(features, axis=0).any():
        return "the same for all texts"
    return None
