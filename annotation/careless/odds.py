"""How much likelier a worker's pages are from chance than from reading. No database.

Workers who read rate the damaged text lower and agree with others who read. Those who
answer by chance does neither, and the spread of their answers is known: on a scale of k
points a uniformly random answer has the variance (k^2 - 1) / 12. So each page adds to
the log of the odds of chance against reading; with D the fall that damage means to a
reader, d the negative minus the mean of the real texts, and v the variance of d,

    D (d + D / 2) / v                       chance expects d = 0, a reader d = -D

and, where two or more others have rated the same texts, with x the worker's ratings, y
the mean of the others', both without their page's mean, and b the slope of a reader,

    sum of b y (b y / 2 - x) / variance     chance expects x = 0, a reader x = b y

This is Wald's sequential test (1945): among workers who see damage of D or more, and
agree with others by b or more, at most 1 / odds are ever found, however many pages they
rate and however often one looks. Two things are taken from the study itself, because
people differ from study to study. A worker whose ratings of real texts spread more
than chance's would (texts that differ much, aspects rated alike) gets a larger v. And b
is half the slope of the others on each other: where they do not agree, disagreement
says nothing.

Disagreement is no proof of chance: people differ in taste, and some read a scale in
reverse. So what all pages say of agreement, with X the sum of b y x / variance and
s^2 that of (b y)^2 / variance, the variance of X under chance, is taken as

    s^2 / 2 - max(X, 0)      no more than x = 0 says, where X is within 2 s of 0
    s^2 / 2 - |X|            where X < -2 s: against a reader of the opposite taste

Both are at most s^2 / 2 - X, so that Wald's bound holds all the same.

Where aspects have different scales their answers come as percentages of these
(`common_scale`); v and the variance are then those of each aspect's own points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

FALL = 0.25  # of the scale's range, that damage means to a reader
AGREEING = 0.5  # of the slope of others on each other
AGAINST = 2.0  # standard errors below 0: a chance of 2 % for random answers


class Seen(NamedTuple):
    """What one page says. Sums over its texts and aspects; in the common unit."""

    difference: float | None  # of the negative; None without one
    v: float  # variance of the difference under chance
    spread: float | None  # of the real texts' means, as a multiple of chance's
    own: float = 0.0  # sum of x y
    shared: float = 0.0  # sum of y y
    others: int = 0  # people; 0 where fewer than two have rated these texts
    alike: float = 0.0  # sum over pairs of others of their products, mean of the pairs
    each: float = 0.0  # sum of squares of one of the others, mean of them


class Odds(NamedTuple):
    """What the pages of a worker say together."""

    log: float
    pages: int
    difference: float | None  # mean over pages with a negative
    slope: float | None  # of the worker on others; None if they cannot be compared
    slope_of_others: float | None  # on each other

    @property
    def times(self) -> float:
        """Likelier by chance than by reading; bounded so that it can be stored."""
        return float(np.exp(np.clip(self.log, -30, 30)))


class Scales(NamedTuple):
    """Of the aspects, in the common unit."""

    width: float  # from the lowest to the highest answer
    steps: tuple[int, ...]  # points of each aspect's scale

    def variance(self) -> np.ndarray:
        """Of a uniformly random answer on each aspect."""
        points = np.array(self.steps, float)
        return np.asarray((points**2 - 1) / 12 * (self.width / (points - 1)) ** 2)

    @property
    def unit(self) -> float:
        """The variance by which sums over the aspects are told."""
        return float(self.variance().max(initial=0.0))


def see(
    *,
    real: np.ndarray,
    negative: np.ndarray | None,
    others: np.ndarray,
    scales: Scales,
    compared: Sequence[int] | None = None,
) -> Seen:
    """One page. In `real` and `others` NaN is "cannot say".

    Args:
        real: The worker's ratings of the real texts, (texts, aspects).
        negative: Theirs of the negative and then of the real texts on the compared
            aspects, turned so that high is good, (1 + texts, compared).
        others: Ratings of the real texts by others, (people, texts, aspects).
        scales: Of all aspects.
        compared: Which aspects `negative` has; None: all.
    """
    difference, v, spread = None, 1.0, None
    variance = scales.variance()
    if negative is not None:
        n_texts, n_aspects = len(negative) - 1, negative.shape[1]
        used = variance if compared is None else variance[list(compared)]
        one = float(used.mean()) / n_aspects
        means = negative.mean(axis=1)
        difference = float(means[0] - means[1:].mean())
        v = one * (1 + 1 / n_texts)
        spread = float(means[1:].var(ddof=1)) / one if n_texts > 1 else None
    # Who could not say on some of these texts is left out.
    others = others[~np.isnan(others).any(axis=(1, 2))] if others.size else others
    if len(others) < 2:
        return Seen(difference, v, spread)
    weights = np.sqrt(scales.unit / variance)
    unsaid = np.isnan(real)
    x = _centred(real, unsaid) * weights
    each = _centred(others, np.broadcast_to(unsaid, others.shape)) * weights
    y = each.mean(axis=0)
    k, shared = len(others), float((y * y).sum())
    squares = float((each * each).sum())
    return Seen(
        difference=difference,
        v=v,
        spread=spread,
        own=float((x * y).sum()),
        shared=shared,
        others=k,
        alike=(k * k * shared - squares) / (k * (k - 1)),
        each=squares / k,
    )


def over(pages: Sequence[Seen], scales: Scales) -> Odds:
    """All pages of a worker.

    Args:
        pages: In any order.
        scales: As they were seen with.
    """
    fall = FALL * scales.width
    spreads = [page.spread for page in pages if page.spread is not None]
    widened = max(1.0, float(np.mean(spreads))) if spreads else 1.0
    rated = [page for page in pages if page.difference is not None]
    differences = [page.difference for page in rated if page.difference is not None]
    log = sum(
        fall * (d + fall / 2) / (page.v * widened)
        for page, d in zip(rated, differences, strict=True)
    )
    between = _slope_between(pages)
    log += _of_agreement(pages, between, scales)
    shared = sum(page.shared for page in pages)
    return Odds(
        log=log,
        pages=len(pages),
        difference=float(np.mean(differences)) if differences else None,
        slope=sum(page.own for page in pages) / shared if shared else None,
        slope_of_others=between if shared else None,
    )


def _of_agreement(pages: Sequence[Seen], between: float, scales: Scales) -> float:
    """What agreement with the others adds to the log."""
    own = squares = 0.0
    for page in pages:
        b = AGREEING * _of_mean(between, page.others)
        own += b * page.own / scales.unit
        squares += b * b * page.shared / scales.unit
    is_against = own < -AGAINST * np.sqrt(squares)
    return squares / 2 - (abs(own) if is_against else max(own, 0.0))


def _slope_between(pages: Sequence[Seen]) -> float:
    """Of one of the others on another, in [0, 1]."""
    each = sum(page.each for page in pages)
    alike = sum(page.alike for page in pages)
    return min(1.0, max(0.0, alike / each)) if each else 0.0


def _of_mean(slope: float, people: int) -> float:
    """The slope on the mean of so many: it is steadier than one person's ratings."""
    return people * slope / (1 + (people - 1) * slope) if people else 0.0


def _centred(ratings: np.ndarray, unsaid: np.ndarray) -> np.ndarray:
    """Without the mean over the page's texts, per aspect: strictness is no fault.

    What the worker could not say is 0 for all, so that it adds nothing.
    """
    known = np.where(unsaid, 0.0, ratings)
    n = np.maximum((~unsaid).sum(axis=-2, keepdims=True), 1)
    return np.where(unsaid, 0.0, known - known.sum(axis=-2, keepdims=True) / n)
