"""Weights of evaluators that are learned from ratings, for a score beside the paper's.

Ke et al. (2022, section 5) leave other weights to future work. Here they are learned
from what people rated, shrunk towards the paper's, and never from a text's own prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring.stats import weighting

FOLDS = 10
INNER = 5  # folds within those, to choose the strength of the shrinkage
FEWEST = 5  # rated prompts
# Strengths as multiples of the largest squared singular value; inf: the paper's.
STRENGTHS = (0.001, 0.01, 0.1, 1.0, np.inf)


class Learned(NamedTuple):
    """Scores of texts by weights learned from other prompts, or why there are none."""

    scores: np.ndarray  # (n,) in standard deviations, higher is better, NaN = none
    strengths: tuple[float, ...]  # of the shrinkage, chosen in each fold
    reason: str | None  # why there are none


class _Fit(NamedTuple):
    """a + c S + sum_j d_j s_j, with S the paper's score."""

    a: float
    c: float
    d: np.ndarray  # (e,)

    def __call__(self, s: np.ndarray, paper: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.a + self.c * paper + s @ self.d
        return found


def cross_fitted(
    s: np.ndarray,
    w: np.ndarray,
    human: np.ndarray,
    prompt: np.ndarray,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
) -> Learned:
    """Score each text with weights learned from the ratings of other prompts.

    With S = sum_j w_j s_j / sum_j w_j the paper's score, S is fitted to the ratings by
    least squares, and ridge regression adds to each evaluator's weight what explains
    the rest:

        y ~ a + c S + sum_j d_j s_j,    min |y - a - c S - s d|^2 + lambda |d|^2

    so that lambda = inf is the paper's score. Lambda is chosen among `STRENGTHS` by
    the squared error in folds over the prompts that are learned from, and c is 0 where
    it would be negative.

    What a fold has learned is brought to mean 0 and standard deviation 1 over all
    texts, which takes no ratings, before its own texts get it. Without that the folds
    could not be put together: who leaves out prompts with high ratings has a lower
    mean, and predicts lower for just these.

    Args:
        s: Scores of the same evaluators of each text, shape (n, e). A row of NaN: the
            text has none.
        w: Their weights, shape (n, e), 0 or more.
        human: Ratings, shape (n,). NaN = not rated: the text is scored, not learned.
        prompt: Of each text, shape (n,): no fold parts the texts of one.
        rng: Deals the prompts to the folds.
        folds: How many; as many as there are rated prompts where these are fewer.

    Returns:
        No scores where texts have different evaluators, fewer than two, where fewer
        than FEWEST prompts are rated, or where all ratings are the same.
    """
    s, human = np.asarray(s, np.float64), np.asarray(human, np.float64)
    used = np.isfinite(s).any(axis=0)
    s, w = s[:, used], np.asarray(w, np.float64)[:, used]
    there = np.isfinite(s).any(axis=1)
    if reason := _why_not(s, there, human, np.asarray(prompt)):
        return Learned(np.full(len(s), np.nan), (), reason)
    return _learned(s, w, human, np.asarray(prompt), there, folds, rng)


def _learned(
    s: np.ndarray,
    w: np.ndarray,
    human: np.ndarray,
    prompt: np.ndarray,
    there: np.ndarray,
    folds: int,
    rng: np.random.Generator,
) -> Learned:
    """Fold by fold."""
    paper = weighting.combined(s, w, "weighted")
    there = there & np.isfinite(paper)
    known = there & np.isfinite(human)
    fold = _dealt(prompt, known, folds, rng)
    strengths, scores = [], np.full(len(s), np.nan)
    for k in range(fold.max() + 1):
        train, rest = known & (fold != k), there & (fold == k)
        inner = _dealt(prompt[train], np.ones(train.sum(), bool), INNER, rng)
        chosen = _strength(s[train], paper[train], human[train], inner)
        fit = _fit(s[train], paper[train], human[train], chosen)
        scores[rest] = _standard(fit(s, paper), paper, there)[rest]
        strengths.append(chosen)
    return Learned(scores, tuple(strengths), None)


def _standard(found: np.ndarray, paper: np.ndarray, there: np.ndarray) -> np.ndarray:
    """With mean 0 and SD 1 over all texts; the paper's score where they are alike."""
    if np.ptp(found[there]) == 0:
        found = paper
    spread = found[there].std()
    apart: np.ndarray = found - found[there].mean()
    return apart / spread if spread > 0 else apart


def _why_not(
    s: np.ndarray, there: np.ndarray, human: np.ndarray, prompt: np.ndarray
) -> str | None:
    if s.shape[1] < 2:
        return "it has fewer than two evaluators"
    if np.isinf(s).any():
        return "an evaluator has an infinite score"
    if not np.isfinite(s[there]).all():
        return "its evaluators differ from text to text"
    known = there & np.isfinite(human)
    if (n := len(np.unique(prompt[known]))) < FEWEST:
        return f"{n} rated prompts: learning weights needs {FEWEST} or more"
    if np.ptp(human[known]) == 0:
        return "all ratings are the same"
    return None


def _dealt(
    prompt: np.ndarray, known: np.ndarray, folds: int, rng: np.random.Generator
) -> np.ndarray:
    """The fold of each text; each fold has rated prompts."""
    rated = np.isin(prompt, prompt[known])
    fold = np.zeros(len(prompt), np.intp)
    for chosen in (rated, ~rated):
        names, at = np.unique(prompt[chosen], return_inverse=True)
        n_folds = min(folds, len(np.unique(prompt[known])))
        fold[chosen] = (rng.permutation(len(names)) % n_folds)[at]
    return fold


def _strength(
    s: np.ndarray, paper: np.ndarray, human: np.ndarray, fold: np.ndarray
) -> float:
    """The one with the smallest squared error on what it has not seen."""
    errors = np.zeros(len(STRENGTHS))
    for train, rest in _parts(fold):
        for k, strength in enumerate(STRENGTHS):
            fit = _fit(s[train], paper[train], human[train], strength)
            errors[k] += ((human[rest] - fit(s[rest], paper[rest])) ** 2).sum()
    # Of equals the strongest, which is closest to the paper's.
    return STRENGTHS[len(errors) - 1 - int(errors[::-1].argmin())]


def _parts(fold: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for k in range(fold.max() + 1):
        yield fold != k, fold == k


def _fit(s: np.ndarray, paper: np.ndarray, human: np.ndarray, strength: float) -> _Fit:
    """Least squares on the paper's score, then ridge on what is left."""
    apart, y = paper - paper.mean(), human - human.mean()
    spread = float(apart @ apart)
    c = max(0.0, float(apart @ y) / spread) if spread > 0 else 0.0
    d = np.zeros(s.shape[1])
    centre = s.mean(axis=0)
    if np.isfinite(strength):
        u, size, v = np.linalg.svd(s - centre, full_matrices=False)
        top = float(size[0]) ** 2
        if top > 0:
            d = v.T @ (size / (size**2 + strength * top) * (u.T @ (y - c * apart)))
    a = float(human.mean() - c * paper.mean() - centre @ d)
    return _Fit(a, c, d)
