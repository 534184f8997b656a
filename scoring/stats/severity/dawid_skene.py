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
import scipy  # loads scipy.sparse when it is first used

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
    of = _given(known, answer, len(values))
    truth = _table(known.unit, answer, (of.shape[0], len(values))).astype(np.float64)
    truth /= truth.sum(axis=1, keepdims=True)
    expected = of.T @ truth
    before, converged = -np.inf, False
    for _ in range(MAX_STEPS):
        truth = _truth(of, truth.mean(axis=0), _errors(expected))
        expected = of.T @ truth
        bound = _bound(expected, truth, _errors(expected)) / len(answer)
        converged = bound - before < TOLERANCE
        if converged:
            break
        before = bound
    errors = _errors(expected)
    n = np.bincount(known.rater)
    right = np.bincount(known.rater, truth[known.unit, answer]) / n
    names, prior = known.names, truth.mean(axis=0)
    found = errors.swapaxes(1, 2)
    return DawidSkene(values, prior, truth, found, right, n, names, converged)


def _table(row: np.ndarray, column: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    cells = np.bincount(row * size[1] + column, minlength=size[0] * size[1])
    return cells.reshape(size)


def _given(known: Ratings, answer: np.ndarray, width: int) -> scipy.sparse.csr_array:
    """Which answer of which rater each text has, (T, R x answers) of ones."""
    cell = known.rater * width + answer
    shape = int(known.unit.max()) + 1, len(known.names) * width
    return scipy.sparse.csr_array((np.ones(len(cell)), (known.unit, cell)), shape=shape)


def _errors(expected: np.ndarray) -> np.ndarray:
    """P(answer | true) of each rater, (R, answers, truths).

    Args:
        expected: How often each was true where a rater gave each answer,
            (R x answers, truths).
    """
    width = expected.shape[1]
    found = expected.reshape(-1, width, width)
    # As crowd-kit has it: an answer that a rater never gave is left at nothing.
    given = found.sum(axis=2, keepdims=True) > 0
    found = np.where(given, np.maximum(found, LEAST), 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _truth(
    of: scipy.sparse.csr_array, prior: np.ndarray, errors: np.ndarray
) -> np.ndarray:
    """P(true) of each text, (T, K)."""
    seen = of @ _logs(errors)
    logs = np.log(np.maximum(prior, LEAST)) + seen
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _bound(expected: np.ndarray, truth: np.ndarray, errors: np.ndarray) -> float:
    """The evidence lower bound, with the prior once a rating, as crowd-kit has it."""
    prior = np.log(np.maximum(truth.mean(axis=0), LEAST))
    kept = np.maximum(truth, LEAST)
    entropy = -(np.log(kept) * kept).sum()
    return float((expected * (_logs(errors) + prior)).sum() + entropy)


def _logs(errors: np.ndarray) -> np.ndarray:
    """(R x answers, truths); 0 for answers that a rater never gave, as none is read."""
    flat = errors.reshape(-1, errors.shape[2])
    return np.log(flat, out=np.zeros(flat.shape), where=flat > 0)
