"""Strengths from votes with what else moves a vote held fixed: position and length.

Bradley and Terry's model with covariates, a tie being half a win for each (as
"contextual" Bradley-Terry in arena-rank, and as length control of Arena leaderboards):

    P(first wins) = 1 / (1 + exp(-(theta_i - theta_j + x . beta))).

theta are log strengths of mean 0, x what is known of a vote, beta its effect in log
odds. A strength is then that between two texts shown in no order and of equal length.
Intervals are those of the sandwich estimator, clustered by what is drawn together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import _davidson
from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.jackknife import FEW_UNITS, LEAST
from scoring.stats.votes import FIRST, TIE, Votes, tally

MAX_STEPS = 100
CONVERGED = 1e-10
# Log odds of more than e^20: a covariate or a system that decides every vote.
MOST = 20.0

NO_VOTES = "no votes"
ALONE = "it is not in any cycle of wins and ties: it only wins or only loses"
NO_FIT = "it has no finite estimate: what is held fixed decides too many votes"
CONFOUNDED = "it is confounded with the systems, so the two effects cannot be separated"
NO_SPREAD = "it is the same in all votes"


class Controlled(NamedTuple):
    """Strengths and effects."""

    strengths: tuple[Estimate, ...]  # log strengths, mean 0 among those that have one
    effects: tuple[Estimate, ...]  # log odds for one unit of each covariate
    left_out: int  # votes between systems of different components


class _Fit(NamedTuple):
    at: np.ndarray  # (n + p,) theta, beta
    information: np.ndarray  # (n + p, n + p), with what holds the mean at 0
    rows: np.ndarray  # (k, n + p) design
    residual: np.ndarray  # (k,) outcome less its probability


def controlled(
    cast: Votes, covariates: np.ndarray, *, ridge: float = 0.0, level: float = LEVEL
) -> Controlled:
    """Fit strengths and the effects of covariates together.

    Strengths are of the largest component (see `preference.fit`); votes of others
    say nothing about the same scale and are left out.

    Args:
        cast: From `votes.read`.
        covariates: What is known of each vote, of the first item less the second,
            shape (k, p), finite; 1 for "shown first" and 0 where that is unknown. One
            that goes with the systems and those before it is not held fixed.
        ridge: Penalty ridge / 2 * sum(beta^2) on the mean log-likelihood of a vote.
        level: Nominal coverage.

    Returns:
        Estimates without a value have a reason.

    Raises:
        ValueError: If covariates have another shape or are not finite, or if ridge is
            negative.

    >>> made = controlled(
    ...     Votes(np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1]),
    ...           np.array([1, 1, 1, 2]), np.arange(4), 2), np.zeros((4, 0)))
    >>> round(made.strengths[0].value, 6)  # half of log 3
    0.549306
    """
    _check(cast, covariates, ridge)
    wins, ties = tally(cast)
    members = _largest(wins, ties)
    kept = np.isin(cast.first, members) & np.isin(cast.second, members)
    design, reasons = _design(cast, covariates, kept, separable=ridge > 0)
    outcome = np.where(cast.outcome == TIE, 0.5, cast.outcome == FIRST)[kept]
    penalty = np.concatenate(
        [np.zeros(cast.n_items), np.full(reasons.count(None), ridge)]
    )
    found = _fit(design, outcome.astype(np.float64), members, penalty * kept.sum())
    spread = _spread(found, cast.unit[kept], level) if found is not None else None
    votes = wins + wins.T + ties
    return Controlled(
        _strengths(cast, members, found, spread, votes),
        _effects(found, spread, reasons, int(kept.sum()), cast.n_items),
        int((~kept).sum()),
    )


def relative_length(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How much longer the first text is: (a - b) / (a + b), in [-1, 1].

    NaN where a length is unknown or both are 0.
    """
    total = first + second
    with np.errstate(invalid="ignore", divide="ignore"):
        found: np.ndarray = np.where(total > 0, (first - second) / total, np.nan)
    return found


def _check(cast: Votes, covariates: np.ndarray, ridge: float) -> None:
    if covariates.ndim != 2 or len(covariates) != len(cast.first):
        given = covariates.shape
        raise ValueError(f"covariates: expected ({len(cast.first)}, p), got {given}")
    if not np.isfinite(covariates).all():
        raise ValueError("covariates: expected finite numbers")
    if ridge < 0:
        raise ValueError(f"ridge: expected 0 or more, got {ridge}")


def _largest(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Items of the largest component; none where each item stands alone."""
    same = _davidson.components(wins[np.newaxis], ties[np.newaxis])[0]
    found = np.flatnonzero(same[same.sum(axis=1).argmax()])
    return found if len(found) > 1 else found[:0]


def _design(
    cast: Votes, covariates: np.ndarray, kept: np.ndarray, *, separable: bool
) -> tuple[np.ndarray, list[str | None]]:
    """A row for each vote, and why a covariate has no effect to fit; None: it has."""
    k = int(kept.sum())
    rows = np.zeros((k, cast.n_items))
    rows[np.arange(k), cast.first[kept]] += 1
    rows[np.arange(k), cast.second[kept]] -= 1
    reasons: list[str | None] = []
    for column in covariates[kept].T:
        more = np.concatenate([rows, column[:, np.newaxis]], axis=1)
        reason = None
        if not column.any():
            reason = NO_SPREAD if k else NO_VOTES
        elif not separable and _rank(more) == _rank(rows):
            # A system that is always shown first, say: its strength and the effect of
            # being first could be anything together.
            reason = CONFOUNDED
        rows = rows if reason else more
        reasons.append(reason)
    return rows, reasons


def _rank(rows: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(rows.T @ rows, hermitian=True))


def _fit(
    rows: np.ndarray, outcome: np.ndarray, members: np.ndarray, penalty: np.ndarray
) -> _Fit | None:
    """Newton's method with steps halved until the likelihood rises; None: no end."""
    if not len(members):
        return None
    at = np.zeros(rows.shape[1])
    value = _likelihood(rows, outcome, penalty, at)
    for _ in range(MAX_STEPS):
        residual, information = _slopes(rows, outcome, members, penalty, at)
        gradient = rows.T @ residual - penalty * at
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        size = np.abs(step).max()
        while size > CONVERGED:
            ahead = _likelihood(rows, outcome, penalty, at + step)
            if ahead >= value:
                break
            step, size = step / 2, size / 2
        at = at + step
        value = _likelihood(rows, outcome, penalty, at)
        if np.abs(at).max() > MOST:
            return None
        if size <= CONVERGED:
            residual, information = _slopes(rows, outcome, members, penalty, at)
            return _Fit(at, information, rows, residual)
    return None


def _likelihood(
    rows: np.ndarray, outcome: np.ndarray, penalty: np.ndarray, at: np.ndarray
) -> float:
    logit = rows @ at
    log_p = outcome * logit - np.logaddexp(0, logit)
    return float(log_p.sum() - (penalty * at**2).sum() / 2)


def _slopes(
    rows: np.ndarray,
    outcome: np.ndarray,
    members: np.ndarray,
    penalty: np.ndarray,
    at: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    p = scipy.special.expit(rows @ at)
    information = rows.T @ (rows * (p * (1 - p))[:, np.newaxis]) + np.diag(penalty)
    # The mean of the strengths is free: this holds it at 0.
    information[np.ix_(members, members)] += 1
    return outcome - p, information


def _spread(found: _Fit, unit: np.ndarray, level: float) -> np.ndarray | None:
    """Half the width of each interval; None with fewer than ten units.

    Sandwich: I^-1 (sum over units of g g') I^-1 times G / (G - 1), with g the gradient
    of a unit; quantiles of Student's t with G - 1 degrees of freedom.
    """
    units, at = np.unique(unit, return_inverse=True)
    n = len(units)
    if n < LEAST:
        return None
    gradients = np.zeros((n, found.rows.shape[1]))
    np.add.at(gradients, at, found.rows * found.residual[:, np.newaxis])
    inverse = np.linalg.pinv(found.information)
    covariance = inverse @ (gradients.T @ gradients) @ inverse * n / (n - 1)
    t = float(scipy.stats.t.ppf(0.5 + level / 2, n - 1))
    half: np.ndarray = t * np.sqrt(np.maximum(np.diag(covariance), 0))
    return half


def _strengths(
    cast: Votes,
    members: np.ndarray,
    found: _Fit | None,
    spread: np.ndarray | None,
    votes: np.ndarray,
) -> tuple[Estimate, ...]:
    made = []
    for item in range(cast.n_items):
        n = int(votes[item].sum())
        if found is not None and item in members:
            made.append(_estimate(found, spread, item, n))
        elif item in members:
            made.append(_none(NO_FIT, n))
        else:
            made.append(_none(ALONE if n else NO_VOTES, n))
    return tuple(made)


def _effects(
    found: _Fit | None,
    spread: np.ndarray | None,
    reasons: list[str | None],
    n: int,
    n_items: int,
) -> tuple[Estimate, ...]:
    places = iter(range(n_items, n_items + len(reasons)))
    made = []
    for reason in reasons:
        if reason is None and found is not None:
            made.append(_estimate(found, spread, next(places), n))
        else:
            made.append(_none(reason or NO_FIT, n))
    return tuple(made)


def _estimate(found: _Fit, spread: np.ndarray | None, at: int, n: int) -> Estimate:
    value = float(found.at[at])
    if spread is None:
        return Estimate(value, n=n, reason=FEW_UNITS)
    half = float(spread[at])
    return Estimate(value, value - half, value + half, n)


def _none(reason: str, n: int) -> Estimate:
    return Estimate(None, n=n, reason=reason)
