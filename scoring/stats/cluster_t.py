"""Means of systems and their differences, tested over prompts: CR2 with t.

Texts of one prompt share its difficulty, so prompts are the units. Bell and McCaffrey
(2002); Pustejovsky and Tipton (2018), "Small-sample methods for cluster-robust variance
estimation and hypothesis testing in fixed effects models".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate
from scoring.stats.inversion import Inverted, by_hall, by_t, skewness

LEAST = 5  # prompts, from which on t holds in simulation
FEW_PROMPTS = f"an interval needs {LEAST} prompts"
FEW_TO_TEST = f"a test needs {LEAST} prompts"
ALIKE = "all prompts are alike"
NO_SCORE = "no text with a score"


class Means(NamedTuple):
    """Means of S systems, and what their intervals and differences need."""

    value: np.ndarray  # (S,), NaN = no score
    n: np.ndarray  # (S,) texts with a score
    n_prompts: np.ndarray  # (S,) prompts of them
    part: np.ndarray  # (U, S): each prompt's part of the error, after CR2
    share: np.ndarray  # (U, S): h, each prompt's share of a system's texts


class Differences(NamedTuple):
    """Row minus column of each two systems, (S, S); NaN = none."""

    value: np.ndarray
    n_prompts: np.ndarray  # of the system that has fewer
    tests: Inverted


def degrees(size: np.ndarray) -> np.ndarray:
    """Satterthwaite's degrees of freedom of a mean over clusters of texts.

    With h_u the share of cluster u and a_u = h_u^2 / (1 - h_u),
    df = 1 / (sum h_u^2 + (sum a_u)^2 - sum a_u^2), for texts of equal variance
    (Pustejovsky and Tipton 2018, of a column of ones). U - 1 where all have one size.

    Args:
        size: Texts of each cluster, (U, ...), 0 = it has none.

    Returns:
        (...); 0 where all texts are of one cluster, or there is none.

    >>> float(degrees(np.ones(10)).round(9))
    9.0
    """
    size = np.asarray(size, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        h = size / size.sum(axis=0)
        a = h**2 / (1 - h)
        below = (h**2).sum(axis=0) + a.sum(axis=0) ** 2 - (a**2).sum(axis=0)
        found: np.ndarray = np.where(np.isfinite(below), 1 / below, 0.0)
    return found


def means(
    scores: np.ndarray, systems: np.ndarray, n_systems: int, prompts: np.ndarray
) -> Means:
    """Mean score of each system, with the parts of prompts in its error.

    Least squares on one dummy a system. CR2 multiplies the residuals e of system s and
    prompt u by (1 - h_us)^(-1/2), with h_us the share of the texts of s that u holds:
    part_us = (1 - h_us)^(-1/2) sum e / n_s, and Var(mean_s) = sum_u part_us^2.

    Args:
        scores: Of texts, (n,). NaN = missing and left out.
        systems: The system of each text, (n,), from 0; others are left out.
        n_systems: S.
        prompts: The prompt of each text, (n,), of any kind.

    Raises:
        ValueError: If the shapes do not match.
    """
    scores, systems, prompts = (np.asarray(c) for c in (scores, systems, prompts))
    if not scores.shape == systems.shape == prompts.shape or scores.ndim != 1:
        raise ValueError("expected vectors of one length")
    rows = np.flatnonzero(np.isfinite(scores) & (systems >= 0) & (systems < n_systems))
    scores, systems = scores[rows].astype(np.float64), systems[rows]
    _, at = np.unique(prompts[rows], return_inverse=True)
    n_units = int(at.max(initial=-1)) + 1
    cell, n_cells = at * n_systems + systems, n_units * n_systems
    size = np.bincount(cell, minlength=n_cells).reshape(n_units, n_systems)
    n = size.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.bincount(systems, scores, n_systems) / n
        residual = scores - value[systems]
        total = np.bincount(cell, residual, n_cells).reshape(size.shape)
        share = size / n
        part = total / (n * np.sqrt(1 - share))
    share = np.where(size > 0, share, 0.0)
    # All texts of a system in one prompt: nothing is known of other prompts.
    part = np.where(share == 1, np.nan, np.where(size > 0, part, 0.0))
    return Means(value, n, (size > 0).sum(axis=0), part, share)


def estimates(
    of: Means, *, skewed: bool = True, level: float = LEVEL, reason: str = NO_SCORE
) -> tuple[Estimate, ...]:
    """Each mean with the interval of t, or why there is none.

    mean_s +- t_df sqrt(sum_u part_us^2), df from `degrees`, by Hall's transformation:
    where most answers lie at an end of the scale, plain t covers 0.88 to 0.92 with 10
    to 40 prompts.

    Args:
        of: From `means`.
        skewed: False leaves out Hall's transformation, for means of differences.
        level: Nominal coverage.
        reason: Why there is no mean, where there is none.

    Returns:
        No interval with fewer than five prompts, or where all have the same mean.
    """
    se = np.sqrt((of.part**2).sum(axis=0))
    a = skewness(of.part, of.n_prompts) if skewed else np.zeros(())
    tested = by_hall(of.value, se, degrees(of.share), a, level=level)
    return tuple(
        _estimate(value, low, high, int(n), int(n_prompts), reason)
        for value, low, high, n, n_prompts in zip(
            of.value, tested.low, tested.high, of.n, of.n_prompts, strict=True
        )
    )


def mean(
    scores: np.ndarray,
    prompts: np.ndarray,
    *,
    skewed: bool = False,
    level: float = LEVEL,
    reason: str = NO_SCORE,
) -> Estimate:
    """The mean of all texts, with the interval of t over prompts, as in `estimates`."""
    of = means(scores, np.zeros(len(scores), np.intp), 1, prompts)
    return estimates(of, skewed=skewed, level=level, reason=reason)[0]


def differences(of: Means, *, level: float = LEVEL) -> Differences:
    """Each two systems: difference of means, its interval and its p, over prompts.

    Var(mean_s - mean_t) = sum_u (part_us - part_ut)^2, so prompts that both answered
    are paired. Degrees of freedom after Satterthwaite, 2 E(V)^2 / Var(V) for texts of
    equal variance: with p_u'p_k = [u = k] sum_s h_us / (n_s (1 - h_us)) -
    sum_s b_us b_ks / n_s, b = h / sqrt(1 - h), over both systems,
    df = (1/n_s + 1/n_t)^2 / sum_uk (p_u'p_k)^2; one less than the prompts where each
    holds a text of both.

    Args:
        of: From `means`.
        level: Nominal coverage.

    Returns:
        p and limits are NaN with fewer than five prompts of either system, or where
        all prompts are alike.
    """
    n_systems = len(of.value)
    variance = np.full((n_systems, n_systems), np.nan)
    for s in range(n_systems):
        variance[s] = ((of.part[:, [s]] - of.part) ** 2).sum(axis=0)
    fewer = np.minimum(of.n_prompts[:, np.newaxis], of.n_prompts)
    variance[(fewer < LEAST) | np.eye(n_systems, dtype=bool)] = np.nan
    value = of.value[:, np.newaxis] - of.value
    df = _degrees_of_pairs(of.share, of.n)
    tests = by_t(value, np.sqrt(variance), df, level=level)
    return Differences(value, fewer, tests)


def difference(of: Means, found: Differences, one: int, other: int) -> Estimate:
    """One pair of `differences`, with a reason where there is no interval."""
    tests, pair = found.tests, (one, other)
    n = int(min(of.n[one], of.n[other]))
    n_prompts = int(found.n_prompts[pair])
    ends = tests.low[pair], tests.high[pair]
    return _estimate(found.value[pair], *ends, n, n_prompts, NO_SCORE)


def side(found: Estimate, nothing: float = 0.0) -> int:
    """1: an interval lies above what nothing would be; -1: below; 0: neither.

    Where all prompts have moved by the same there is no interval, and none is needed.
    """
    low, high = found.low, found.high
    if found.reason == ALIKE:
        low = high = found.value
    if low is None or high is None:
        return 0
    return int(low > nothing) - int(high < nothing)


def _estimate(
    value: float, low: float, high: float, n: int, n_prompts: int, reason: str
) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n=n, reason=reason)
    if n_prompts < LEAST:
        return Estimate(float(value), n=n, reason=FEW_PROMPTS)
    if np.isnan(low):
        return Estimate(float(value), n=n, reason=ALIKE)
    return Estimate(float(value), float(low), float(high), n)


def _degrees_of_pairs(share: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of each two systems, (S, S), in sums over prompts of products of two systems."""
    with np.errstate(invalid="ignore", divide="ignore"):
        a = 1 / n
        k = share / (1 - share)
        b2 = share * k  # b^2
        b = np.sqrt(b2)
        kk, kb, bb = k.T @ k, k.T @ b2, b.T @ b

        def both(gram: np.ndarray) -> np.ndarray:
            """Sum over the four ordered pairs of two systems, weighted by a."""
            own = np.diag(gram) * a**2
            cross = (gram + gram.T) * a[:, np.newaxis] * a
            total: np.ndarray = own[:, np.newaxis] + own + cross
            return total

        spread = both(kk) - 2 * both(kb) + both(bb**2)
        found: np.ndarray = (a[:, np.newaxis] + a) ** 2 / spread
    return found
