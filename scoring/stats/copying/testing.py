"""Does a rater give a judge's answers more often than an honest rater would?

Of each answer, p is the chance that an honest rater gives the judge's answer to this
text, given what other people say of it (`honest`). A rater who copies a share c of
their answers gives it with chance c + (1 - c) p. At c = 1/2 the log of the likelihood
ratio weighs a match with

    w = log((c + (1 - c) p) / ((1 - c) p)) = log(1 + 1 / p)

more than anything else, so that sharing an answer that hardly anyone gives says much,
and sharing what everybody says says little. U = sum of w (match - p); what was
estimated for the rater takes its part of the variance out (the efficient score).
delta = U / sum of w p (1 - p) is by how much the log odds of a match seem to be raised:
0 of honest raters, on average.

Honest raters differ in delta, too: some have more in common with a judge than others.
So the standard error of delta has a part tau^2 that does not fall with more texts: the
variance of delta between the other raters of the study, together with what it was in
public data (`TYPICAL`, which counts as `WORTH` raters). t = delta / sqrt(se^2 + tau^2)
is held against Student's t with as many degrees of freedom as raters stand behind tau.
Who is found is left out of the crowd, and the rest is asked again, so that many copiers
do not pass as what is usual. If the t of the others then lie above 0 or wider apart
than they should, each t is told as it stands to those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.copying import honest
from scoring.stats.copying.honest import Question, Rows

RATE = 0.02  # of honest raters are found, over all judges they are held against
SHARE = 0.5  # copied, where the test has most power
TYPICAL, WORTH = 0.25, 8  # SD of delta between honest raters of public data
LEAST_TEXTS = 10  # of a rater
LEAST_ANSWERS = 100  # of the others
LEAST_RATERS = 2  # others
MOST_ANSWERS = 5000  # that the crowd is fitted to: more do not make it any better
FOLDS = 10
ROUNDS = 4
FAR = 2.5

TOO_FEW_TEXTS = (
    f"fewer than {LEAST_TEXTS} texts that both the judge and someone else rated"
)
TOO_FEW_OTHERS = (
    f"fewer than {LEAST_RATERS} other raters or {LEAST_ANSWERS} answers of theirs"
)


@dataclass(frozen=True, slots=True)
class Copied:
    """How a rater's answers stand to a judge's."""

    n: int  # answers that can be compared
    texts: int
    same: int  # of these, as the judge's
    expected: float  # of an honest rater with the same texts; NaN where untested
    t: float  # NaN where untested
    p: float
    reason: str = ""  # why it is untested

    @property
    def share(self) -> float:
        """Of the answers, as many as would have to be copied to have so many same."""
        left = self.n - self.expected
        return max(0.0, (self.same - self.expected) / left) if left > 0 else 0.0


class _Sums(NamedTuple):
    """Of a rater, over all questions; each (R,)."""

    score: np.ndarray  # U
    variance: np.ndarray
    slope: np.ndarray  # sum of w p (1 - p)
    expected: np.ndarray
    squares: np.ndarray  # sum over texts of squares of their part of U
    parts: np.ndarray  # what these would be on average if answers were independent
    third: np.ndarray  # moment of U if answers were independent


def copies(
    questions: Sequence[Question],
    n_raters: int,
    *,
    rng: np.random.Generator,
    person: np.ndarray | None = None,
) -> list[Copied]:
    """Hold every rater against one judge.

    Args:
        questions: Answers of people and of the judge; texts have the same rows in all.
        n_raters: R.
        rng: Draws answers for the crowd, where there are more than it takes.
        person: Raters who are one person, (R,) int: they never stand for others.

    Returns:
        One for each rater. p is one-sided, of this judge alone.
    """
    person = np.arange(n_raters) if person is None else person
    tables = [honest.rows_of(question) for question in questions]
    fold = _folds(person)
    texts = _texts(tables, n_raters)
    n = sum((_count(one.rater, n_raters) for one in tables), np.zeros(n_raters, int))
    left_out = np.zeros(n_raters, bool)
    found = _Tested(*np.full((3, n_raters), np.nan))
    for _ in range(ROUNDS):
        found = _test(tables, person, fold, left_out, texts, rng)
        now = found.p <= RATE
        if (now == left_out).all():
            break
        left_out = now
    same = [np.bincount(one.rater, one.answer == one.judge, n_raters) for one in tables]
    return [
        Copied(
            *(int(n[r]), int(texts[r]), int(sum(one[r] for one in same))),
            *(float(found.expected[r]), float(found.t[r]), float(found.p[r])),
            reason=_why_not(int(texts[r]), float(found.p[r])),
        )
        for r in range(n_raters)
    ]


class _Tested(NamedTuple):
    expected: np.ndarray
    t: np.ndarray
    p: np.ndarray


def _why_not(texts: int, p: float) -> str:
    if texts < LEAST_TEXTS:
        return TOO_FEW_TEXTS
    return TOO_FEW_OTHERS if np.isnan(p) else ""


def _count(rater: np.ndarray, n: int) -> np.ndarray:
    return np.bincount(rater, minlength=n)


def _texts(tables: Sequence[Rows], n_raters: int) -> np.ndarray:
    """Different ones of each rater, (R,)."""
    both = [np.stack([one.rater, one.text]) for one in tables]
    if not both:
        return np.zeros(n_raters, int)
    return _count(np.unique(np.concatenate(both, axis=1), axis=1)[0], n_raters)


def _folds(person: np.ndarray) -> np.ndarray:
    """Few people are left out one at a time, many in groups, (R,)."""
    _, place = np.unique(person, return_inverse=True)
    place = place.reshape(-1)
    many = int(place.max(initial=0)) >= 2 * FOLDS
    return np.asarray(place % FOLDS if many else place)


def _test(
    tables: Sequence[Rows],
    person: np.ndarray,
    fold: np.ndarray,
    left_out: np.ndarray,
    texts: np.ndarray,
    rng: np.random.Generator,
) -> _Tested:
    sums = _sums(tables, fold, person, left_out, texts, rng)
    known = sums.slope > 0
    delta, se2 = np.full((2, len(person)), np.nan)
    # Answers on the texts of one page or on one text go together.
    usable = known & ~left_out
    ratio = sums.squares[usable].sum() / max(sums.parts[usable].sum(), 1e-12)
    spread = max(1.0, float(ratio)) if usable.any() else 1.0
    delta[known] = sums.score[known] / sums.slope[known]
    se2[known] = spread * sums.variance[known] / sums.slope[known] ** 2
    t, df = np.full((2, len(person)), np.nan)
    for r in np.flatnonzero(known):
        others = usable & (person != person[r])
        tau2, df[r] = _tau2(delta[others], se2[others], len(np.unique(person[others])))
        var = se2[r] + tau2
        skew = sums.third[r] / (sums.slope[r] ** 2 * var) ** 1.5
        t[r] = _even(float(delta[r] / np.sqrt(var)), float(skew))
    if left_out.any():  # before anyone is, copiers would pass as usual
        t = _beside(t, usable, person)
    p = scipy.stats.t.sf(t, df)
    return _Tested(np.where(known, sums.expected, np.nan), t, p)


def _even(t: float, skew: float) -> float:
    """Closer to a normal distribution (Cornish and Fisher 1938).

    A match that surprises weighs much: large values come up more often than small ones.
    Beyond `FAR` by as much as there, so that more matches never give less.
    """
    return t - min(skew, 1.0) * (min(abs(t), FAR) ** 2 - 1) / 6


def _beside(t: np.ndarray, usable: np.ndarray, person: np.ndarray) -> np.ndarray:
    """How each t stands to that of the others, if these lie above 0 or far apart.

    Raters who are careful, or much alike a judge in other ways than the crowd's model
    knows, have a mean above 0 together. Nobody's t grows by this.
    """
    found = t.copy()
    lost, variance = _without_upper_end()
    for r in np.flatnonzero(~np.isnan(t)):
        others = t[usable & (person != person[r])]
        n = len(others) + WORTH
        # Who was found is left out: the others are a normal distribution without its
        # upper end, which is lower and narrower than the whole.
        centre = (others + lost).sum() / n
        squares = ((others - others.mean()) ** 2).sum() if len(others) else 0.0
        spread = np.sqrt((WORTH + squares / variance) / n)
        found[r] = (t[r] - max(0.0, centre)) / max(1.0, spread)
    return found


@cache
def _without_upper_end() -> tuple[float, float]:
    """Minus the mean, and the variance, of a normal distribution without `RATE`."""
    cut = scipy.stats.norm.isf(RATE)
    lost = float(scipy.stats.norm.pdf(cut) / (1 - RATE))
    return lost, float(1 - cut * lost - lost**2)


def _tau2(delta: np.ndarray, se2: np.ndarray, people: int) -> tuple[float, float]:
    """Variance between honest raters, and degrees of freedom behind it.

    Around 0, not around their mean: an honest crowd has none. Each rater counts as far
    as their delta is known; the typical value counts as `WORTH` people.
    """
    weights = 1 / (se2 + TYPICAL**2) ** 2
    total = float(weights.sum())
    own = float((weights * (delta**2 - se2)).sum()) / total if total else 0.0
    # What one rater says of tau^2 is little where their delta is hardly known.
    worth = people * float((TYPICAL**4 * weights).mean()) if len(delta) else 0.0
    tau2 = (WORTH * TYPICAL**2 + worth * max(0.0, own)) / (WORTH + worth)
    return tau2, WORTH + worth


def _sums(
    tables: Sequence[Rows],
    fold: np.ndarray,
    person: np.ndarray,
    left_out: np.ndarray,
    texts: np.ndarray,
    rng: np.random.Generator,
) -> _Sums:
    sums = _Sums(*np.zeros((7, len(fold))))
    for rows in tables:
        order = np.argsort(rows.rater, kind="stable")
        ends = np.cumsum(_count(rows.rater, len(fold)))
        for one in np.unique(fold):
            of = _crowd(rows, (fold != one) & ~left_out, person, rng)
            if of is None:
                continue
            for r in np.flatnonzero((fold == one) & (texts >= LEAST_TEXTS)).tolist():
                mine = order[ends[r - 1] if r else 0 : ends[r]]
                if len(mine):
                    _add(sums, r, rows.only(mine), of)
    return sums


def _crowd(
    rows: Rows, others: np.ndarray, person: np.ndarray, rng: np.random.Generator
) -> honest.Crowd | None:
    at = np.flatnonzero(others[rows.rater])
    if len(at) < LEAST_ANSWERS or len(np.unique(person[rows.rater[at]])) < LEAST_RATERS:
        return None
    if len(at) > MOST_ANSWERS:
        at = rng.choice(at, MOST_ANSWERS, replace=False)
    return honest.crowd(rows.only(at))


def _add(sums: _Sums, r: int, rows: Rows, of: honest.Crowd) -> None:
    """One question of one rater."""
    own = honest.own(rows, of)
    each = np.arange(len(rows.judge))
    p = own.chance[each, rows.judge]
    w = np.log1p(SHARE / ((1 - SHARE) * p))
    score = w * ((rows.answer == rows.judge) - p)
    parts = w**2 * p * (1 - p)
    mean = np.einsum("mk,mkq->mq", own.chance, own.design)
    shared = (w * p) @ (own.design[each, rows.judge] - mean)
    variance = parts.sum() - shared @ own.inverse @ shared
    _, text = np.unique(rows.text, return_inverse=True)
    sums.score[r] += score.sum()
    sums.variance[r] += max(float(variance), 0.1 * float(parts.sum()))
    sums.slope[r] += (w * p * (1 - p)).sum()
    sums.expected[r] += p.sum()
    sums.squares[r] += (np.bincount(text.reshape(-1), score) ** 2).sum()
    sums.parts[r] += parts.sum()
    sums.third[r] += (w**3 * p * (1 - p) * (1 - 2 * p)).sum()
