"""The ordinal model in points of the scale: severity, corrected scores, spread.

The expected rating of texts of system s by a rater of effect v is

    E(s, v) = mean over u ~ N(0, sd_text^2) of
              sum over the points k of value_k P(point k | theta, beta_s + u + v),

by Gauss and Hermite's quadrature. The *average rater* is one with the mean effect of
these raters. Then

    severity of rater r  = sum over systems, weighted by their texts, of
                           E(s, average) - E(s, v_r)           > 0: gives lower ratings
    corrected score of s = E(s, average).

Intervals are for 95 %. They hold for these raters, and for other texts of these systems
by way of the standard errors of the parameters (delta method, in log odds of the
scale's ends for scores, so that no limit lies beyond them). Texts are taken as
independent, those of one prompt, too: intervals that draw whole prompts, as those of
mean ratings elsewhere in EvalApp, also hold for other prompts, and may be wider.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import scipy  # loads scipy.special when it is first used

from scoring.stats.estimates import Estimate
from scoring.stats.severity.ordinal import FLAT, Fit, Spread

NODES = 61
STEP = 1e-5
Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution

NOT_IN_IT = "no ratings that the model can use"
NO_DIFFERENCE = "raters differ by no more than chance would explain"
AT_END = "all ratings are at one end of the scale: the model has no finite value"
NO_UPPER = "too few ratings for an interval"
NO_MOST = "no rating lies between the ends of the scale, so there is no upper limit"
MOST_SPREAD = 10.0  # a rater of the ends alone has no finite one


def expected(
    made: Fit | np.ndarray, systems: np.ndarray, effect: float, like: Fit
) -> np.ndarray:
    """E(s, v) of systems with finite beta, in the order of `systems`; (S',).

    Args:
        made: The fit, or a vector of parameters in the order of its covariance.
        systems: Which of the finite systems, counted among these.
        effect: v.
        like: The fit whose parameters these are.
    """
    at = parameters(made) if isinstance(made, Fit) else made
    k = len(like.values) - 1
    beta = np.concatenate([[0.0], at[k:-2]])[systems]
    nodes, weights = _quadrature()
    eta = (beta + effect)[:, np.newaxis] + at[-2] * nodes
    at_most = scipy.special.expit(at[:k] - eta[..., np.newaxis])
    given = like.values[-1] - at_most @ np.diff(like.values)
    return np.asarray(given @ weights / weights.sum())


@cache
def _quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights: to find them takes longer than to use them."""
    return np.polynomial.hermite_e.hermegauss(NODES)


def parameters(of: Fit) -> np.ndarray:
    """In the order of the covariance, (p,)."""
    finite = of.systems[np.isfinite(of.systems)]
    sds = [of.text_sd, of.rater_sd]
    return np.concatenate([of.thresholds, finite[1:], sds])


def average(of: Fit) -> float:
    """The effect of the average rater: the mean of these raters' effects."""
    return float(np.nanmean(of.raters))


def severities(of: Fit) -> tuple[Estimate, ...]:
    """Of each rater, in points of the scale, with its interval; n = ratings.

    The interval is that of v_r less the mean of all v, which allows for what is unknown
    of v given the parameters and of the parameters (Kass and Steffey 1989), seen
    through E, which is monotone in v.
    """
    finite = np.isfinite(of.systems)
    weight = of.n_texts[finite] / of.n_texts.sum()
    mean, kept = average(of), np.flatnonzero(np.isfinite(of.raters))
    base = expected(of, np.arange(len(weight)), mean, of) @ weight

    def points(effect: float) -> float:
        return float(base - expected(of, np.arange(len(weight)), effect, of) @ weight)

    found = []
    errors = _errors_from_mean(of, kept)
    for r, n in enumerate(of.n_ratings.tolist()):
        effect = float(of.raters[r])
        if not np.isfinite(effect):
            found.append(Estimate(None, n=0, reason=NOT_IN_IT))
            continue
        value, wide = points(effect), Z * float(errors[r])
        if of.rater_sd == 0:
            found.append(Estimate(value, n=n, reason=NO_DIFFERENCE))
        elif not np.isfinite(wide):
            found.append(Estimate(value, n=n, reason=FLAT))
        else:
            low, high = points(effect + wide), points(effect - wide)
            found.append(Estimate(value, low, high, n))
    return tuple(found)


def _errors_from_mean(of: Fit, kept: np.ndarray) -> np.ndarray:
    """Standard errors of v_r less the mean of all v, (R,)."""
    inner = of.rater_covariance[np.ix_(kept, kept)]
    inner = inner - inner.mean(axis=0) - inner.mean(axis=1)[:, None] + inner.mean()
    moves = of.sensitivity[kept] - of.sensitivity[kept].mean(axis=0)
    variance = np.diagonal(inner) + ((moves @ of.covariance) * moves).sum(axis=1)
    found = np.full(len(of.raters), np.nan)
    found[kept] = np.sqrt(np.maximum(variance, 0.0))
    return found


def scores(of: Fit) -> tuple[Estimate, ...]:
    """Of each system: the expected rating by the average rater; n = texts."""
    finite = np.flatnonzero(np.isfinite(of.systems))
    at, mean = parameters(of), average(of)
    kept = np.isfinite(of.raters)
    moves = of.sensitivity[kept].mean(axis=0)
    inner = float(of.rater_covariance[np.ix_(kept, kept)].mean())
    found = [Estimate(None, n=int(n), reason=AT_END) for n in of.n_texts]
    for place, s in enumerate(finite.tolist()):
        which = np.array([place])

        def given(v: np.ndarray, which: np.ndarray = which) -> float:
            return float(expected(v[:-1], which, float(v[-1]), of)[0])

        slope = _slope(given, np.append(at, mean))
        total = slope[:-1] + slope[-1] * moves
        variance = total @ of.covariance @ total + slope[-1] ** 2 * inner
        value = given(np.append(at, mean))
        found[s] = _inside(value, float(variance), of, int(of.n_texts[s]))
    return tuple(found)


def _slope(of: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    steps = STEP * np.eye(len(at))
    return np.array([(of(at + step) - of(at - step)) / (2 * STEP) for step in steps])


def _inside(value: float, variance: float, of: Fit, n: int) -> Estimate:
    """An interval that stays within the scale, by log odds."""
    if not np.isfinite(variance):
        return Estimate(value, n=n, reason=FLAT)
    low, high = float(of.values[0]), float(of.values[-1])
    share = (value - low) / (high - low)
    wide = Z * np.sqrt(variance) / ((high - low) * share * (1 - share))
    ends = low + (high - low) * scipy.special.expit(
        scipy.special.logit(share) + np.array([-wide, wide])
    )
    return Estimate(value, float(ends[0]), float(ends[1]), n)


def spreads(of: Spread, n_ratings: np.ndarray) -> tuple[Estimate, ...]:
    """1 / a_r of each rater, over that of the average rater; n = ratings.

    Intervals are given the parameters. They leave out what is unknown of these, so they
    are too narrow where raters have few ratings (see benchmarks/raters.md). Values end
    at 10: of a rater who gives the ends of the scale alone, no ratings tell how far
    above that it is, and there is no interval.
    """
    mean = float(np.nanmean(of.stretch))
    found = []
    rows = zip(of.stretch, of.errors, of.no_inner, n_ratings.tolist(), strict=True)
    for a, error, no_inner, n in rows:
        if not np.isfinite(a):
            found.append(Estimate(None, n=0, reason=NOT_IN_IT))
            continue
        value, least = min(MOST_SPREAD, float(mean / a)), a - Z * error
        if of.sd == 0:
            found.append(Estimate(value, n=n, reason=NO_DIFFERENCE))
        elif no_inner and least <= 0:
            found.append(Estimate(value, n=n, reason=NO_MOST))
        elif least <= 0:
            found.append(Estimate(value, n=n, reason=NO_UPPER))
        else:
            ends = float(mean / (a + Z * error)), float(mean / least)
            found.append(Estimate(value, *ends, n))
    return tuple(found)
