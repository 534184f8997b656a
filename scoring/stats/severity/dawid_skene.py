"""How often each rater gives the answer that all raters together make most likely.

Dawid and Skene (1979): each text has one true answer of K, and rater r gives answer l
where k is true with probability pi_r(l | k). The EM algorithm begins with the share of
each answer among a text's ratings and alternates

    prior_k = mean over texts of P(true = k),
    pi_r(l | k) = sum over r's ratings l of P(k) / sum over all of r's ratings of P(k),
    P(true = k) ~ prior_k prod over the text's ratings of pi_r(l | k),

until the evidence lower bound rises by less than `tolerance` a rating, as `DawidSkene`
of crowd-kit does. It knows no order of the answers, so that 4 for 5 is as wrong as 1
for 5: a diagnostic of who errs, and no replacement of a mean rating.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats._ratings import Ratings, ratings

MAX_STEPS, TOLERANCE = 100, 1e-5
LEAST = 1e-10  # of a probability, as crowd-kit has it
# A rater's table has K (K - 1) free numbers: so many ratings for each point in use.
PER_POINT = 10

NO_RATING = "there are no ratings by known raters"
NO_PAIR = "no text has two ratings"
SAME = "all ratings are the same"


class DawidSkene(NamedTuple):
    """What the raters together make of each text, and of each rater."""

    values: np.ndarray  # (K,) answers that were given
    priors: np.ndarray  # (K,) share of texts of which each is true
    truth: np.ndarray  # (T, K) probability of each answer, texts in their order
    confusion: np.ndarray  # (R, K, K) P(answer l | true k), by rater, k, l; NaN = never
    right: np.ndarray  # (R,) expected share of the rater's ratings that are true
    n: np.ndarray  # (R,) ratings
    names: np.ndarray  # (R,)
    converged: bool

    def enough(self) -> np.ndarray:
        """Whether a rater has ratings enough for such a table, (R,) bool."""
        return np.asarray(self.n >= PER_POINT * len(self.values))


def dawid_skene(
    text: np.ndarray, rater: np.ndarray, value: np.ndarray
) -> DawidSkene | str:
    """Fit the model; a string says why there is none.

    Args:
        text: Which text was rated, (k,), of any kind.
        rater: Who rated it, (k,), of any kind. The last rating of a text counts.
        value: The answer, (k,); NaN = missing.

    Raises:
        ValueError: If the lengths differ.
    """
    known = ratings(text, rater, value)
    if len(known.row) == 0:
        return NO_RATING
    if np.bincount(known.unit).max() < 2:
        return NO_PAIR
    values, answer = np.unique(known.value, return_inverse=True)
    if len(values) < 2:
        return SAME
    size = int(known.unit.max()) + 1, len(values)
    truth = _table(known.unit, answer, size).astype(np.float64)
    truth /= truth.sum(axis=1, keepdims=True)
    errors = _errors(known, answer, truth)
    before, converged = -np.inf, False
    for _ in range(MAX_STEPS):
        truth = _truth(known, answer, truth.mean(axis=0), errors)
        errors = _errors(known, answer, truth)
        bound = _bound(known, answer, truth, errors) / len(answer)
        converged = bound - before < TOLERANCE
        if converged:
            break
        before = bound
    n = np.bincount(known.rater)
    right = np.bincount(known.rater, truth[known.unit, answer]) / n
    names, prior = known.names, truth.mean(axis=0)
    found = errors.swapaxes(1, 2)
    return DawidSkene(values, prior, truth, found, right, n, names, converged)


def _table(row: np.ndarray, column: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    cells = np.bincount(row * size[1] + column, minlength=size[0] * size[1])
    return cells.reshape(size)


def _errors(known: Ratings, answer: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """P(answer | true) of each rater, (R, answers, truths)."""
    width = truth.shape[1]
    cell = known.rater * width + answer
    size = len(known.names) * width
    sums = [np.bincount(cell, truth[known.unit, k], size) for k in range(width)]
    found = np.stack(sums, axis=1).reshape(-1, width, width)
    # As crowd-kit has it: an answer that a rater never gave is left at nothing.
    given = np.bincount(cell, minlength=size).reshape(-1, width) > 0
    found = np.where(given[:, :, np.newaxis], np.maximum(found, LEAST), 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _truth(
    known: Ratings, answer: np.ndarray, prior: np.ndarray, errors: np.ndarray
) -> np.ndarray:
    """P(true) of each text, (T, K)."""
    with np.errstate(divide="ignore"):
        seen = np.log(errors)[known.rater, answer]
    n = int(known.unit.max()) + 1
    sums = [np.bincount(known.unit, column, n) for column in seen.T]
    logs = np.log(np.maximum(prior, LEAST)) + np.stack(sums, axis=1)
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _bound(
    known: Ratings, answer: np.ndarray, truth: np.ndarray, errors: np.ndarray
) -> float:
    """The evidence lower bound, with the prior once a rating, as crowd-kit has it."""
    prior = np.log(np.maximum(truth.mean(axis=0), LEAST))
    seen = np.log(errors[known.rater, answer]) + prior
    kept = np.maximum(truth, LEAST)
    entropy = -(np.log(kept) * kept).sum()
    return float((truth[known.unit] * seen).sum() + entropy)
