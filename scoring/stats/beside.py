"""A judge beside people who voted on the same pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats import clustered, jackknife, kappa
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import LeaveOut

NO_PAIR = "people have voted on none of its pairs"
ALONE = "no pair has votes of two people"


class Beside(NamedTuple):
    """How far a judge says what people say."""

    judge: Estimate  # chance that it agrees with a person, in [0, 1]
    people: Estimate  # chance that two people agree, on the same pairs
    kappa: Estimate  # Cohen's, of the judge with each vote
    n_pairs: int
    n_votes: int  # of people, on these pairs


def agreement(
    judge: np.ndarray,
    people: np.ndarray,
    pair: np.ndarray,
    *,
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Beside:
    """Compare a judge's verdicts with people's votes, as with another person.

    With m_u votes of people on pair u, and e_u of these equal to the judge's verdict,

        P(judge agrees) = mean_u e_u / m_u,
        P(people agree) = mean_u sum_c n_uc (n_uc - 1) / (m_u (m_u - 1)),

    where n_uc people gave the verdict c, over pairs with at least two votes in the
    second: the agreement of Zheng et al. (2023, section 3.3), with ties as a verdict of
    their own. Their intervals are Wilson's. Cohen's kappa is over votes; its interval
    is that of the jackknife over pairs.

    Args:
        judge: The judge's verdict beside each vote, shape (k,): any numbers.
        people: The votes, shape (k,), likewise.
        pair: What each vote is about, shape (k,), of any kind.
        rng: For groups of more than a hundred pairs, see `jackknife.leave_out`.
        level: Nominal coverage.

    >>> found = agreement(
    ...     np.array([1, 1, 2]),
    ...     np.array([1, 2, 2]),
    ...     np.array(["a", "a", "b"]),
    ...     rng=np.random.default_rng(1),
    ... )
    >>> found.judge.value, found.people.value
    (0.75, 0.0)
    """
    judge, people = np.asarray(judge, float), np.asarray(people, float)
    names, at = np.unique(pair, return_inverse=True)
    n = np.bincount(at, minlength=len(names))
    equal = np.bincount(at, judge == people, minlength=len(names))
    units = np.arange(len(names))
    among = np.full(len(names), np.nan)
    several = n > 1
    same = sum(
        (c := np.bincount(at[people == value], minlength=len(names))) * (c - 1)
        for value in np.unique(people)
    )
    if several.any():
        m = n[several]
        among[several] = np.asarray(same)[several] / (m * (m - 1))
    return Beside(
        clustered.share(equal / np.maximum(n, 1), units, level=level, reason=NO_PAIR),
        clustered.share(among, units, level=level, reason=ALONE),
        _kappa(judge, people, jackknife.leave_out(at, rng=rng), level),
        n_pairs=len(names),
        n_votes=len(people),
    )


def _kappa(
    judge: np.ndarray, people: np.ndarray, left: LeaveOut, level: float
) -> Estimate:
    found = kappa.cohen_kappa(judge, people)
    if found.value is None:
        reason = found.reason if len(people) else NO_PAIR
        return Estimate(None, n=len(people), reason=reason)
    without = np.full(len(left.draws), np.nan)
    for part in left.draws.slabs():
        for k, counts in enumerate(left.draws.rows(part)):
            rows = counts > 0
            value = kappa.cohen_kappa(judge[rows], people[rows]).value
            without[part.start + k] = np.nan if value is None else value
    made = jackknife.jackknifed(found.value, without, left, "natural")
    return jackknife.estimate(made, n=len(people), level=level, bounds=(-1.0, 1.0))
