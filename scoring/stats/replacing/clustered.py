"""The same test by prompt: texts of one prompt are not independent.

Where a metric and a rater mostly tie, few prompts decide, and t says "not worse" too
often: by chance there are few texts on which the rater is closer, and then the variance
is small as well. There the test is corrected for skewness, or counts prompts instead.
The limits come from simulation, see `benchmarks/replaces.md`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats.counts import LEVEL
from scoring.stats.estimates import Estimate

Method = Literal["CR2", "CR2, skewness", "exact", "none"]

# Share of ties from which on t is corrected, and how many prompts must then hold a text
# that is no tie.
MANY_TIES, FEW_PROMPTS = 0.6, 10
# Simulated from here on.
LEAST_PROMPTS = 5
ROUNDING = 1e-12  # of a variance, against the largest that there may be
FEW_UNITS = f"an interval needs {LEAST_PROMPTS} prompts"
ALIKE = "all prompts are alike"


class Sums(NamedTuple):
    """What the tests need of d, by prompt; leading axes are studies."""

    size: np.ndarray  # (U,) texts of each prompt
    total: np.ndarray  # (..., U) sum of d
    decided: np.ndarray  # (...) prompts with a text that is no tie
    ties: np.ndarray  # (...) share of texts that are ties


class Robust(NamedTuple):
    """The mean of d and how sure it is; (...) each but the last."""

    mean: np.ndarray
    se: np.ndarray  # NaN where all prompts are alike
    skewness: np.ndarray  # of the sums of prompts, over the root of their number
    degrees: float  # of freedom

    def t(self, epsilon: float) -> np.ndarray:
        found: np.ndarray = (self.mean - epsilon) / self.se
        return found


class Tested(NamedTuple):
    """One test, or one for each study."""

    p: np.ndarray  # (...)
    method: np.ndarray  # (...) int, place in METHODS


METHODS: tuple[Method, ...] = ("CR2", "CR2, skewness", "exact", "none")
CR2, SKEWED, EXACT, NONE = range(4)


def sums(d: np.ndarray, prompt: np.ndarray) -> Sums:
    """Add up d within prompts.

    Args:
        d: 1 = the rater is closer, -1 = the metric is, 0 = neither, (n,).
        prompt: Of each text, (n,), of any kind.

    Raises:
        ValueError: If they differ in length.
    """
    d, prompt = np.asarray(d, np.float64), np.asarray(prompt)
    if d.shape != prompt.shape or d.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {d.shape}, {prompt.shape}"
        )
    _, at = np.unique(prompt, return_inverse=True)
    decided = np.bincount(at, d != 0) > 0
    share = np.float64((d == 0).mean()) if len(d) else np.float64(np.nan)
    total = np.bincount(at, d)
    return Sums(np.bincount(at), total, np.asarray(decided.sum()), np.asarray(share))


def robust(given: Sums) -> Robust:
    """The mean, its standard error by CR2, and Satterthwaite's degrees of freedom.

    For a mean the design is a column of ones: X'X = N, and the hat matrix of prompt g
    with n_g of N texts is 11'/N. CR2 (Bell and McCaffrey 2002; Pustejovsky and Tipton
    2018) takes A_g = (I - 11'/N)^(-1/2), of which 1 is an eigenvector, with the value
    (1 - h_g)^(-1/2), h_g = n_g/N. So, with r_g = sum of (d - mean) in g,

        V = 1/N^2 sum_g r_g^2 / (1 - h_g).

    V is sum_g (p_g'd)^2 with p_g = (1_g - h_g 1) / (N sqrt(1 - h_g)), so that under
    independent d of equal variance p_g'p_g = h_g/N and p_g'p_k =
    -h_g h_k / (N sqrt((1 - h_g)(1 - h_k))). The degrees of freedom 2 E(V)^2 / Var(V) =
    (sum_g p_g'p_g)^2 / sum_gk (p_g'p_k)^2 are therefore, with a_g = h_g^2/(1 - h_g),

        1 / (sum_g h_g^2 + (sum_g a_g)^2 - sum_g a_g^2).

    With prompts of one text V = s^2/N with N - 1 degrees: the published test.

    Args:
        given: From `sums`, of two prompts at least.

    Returns:
        In the unit of d. No standard error where V is 0 but for rounding.
    """
    n, u, h = given.size.sum(), len(given.size), given.size / given.size.sum()
    mean = given.total.sum(axis=-1) / n
    r = given.total - given.size * mean[..., np.newaxis]
    variance = (r**2 / (1 - h)).sum(axis=-1) / n**2
    there = variance * u > ROUNDING
    unbiased = math.sqrt(u * (u - 1)) / (u - 2) if u > 2 else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        third = unbiased * (r**3).sum(axis=-1) / ((r**2).sum(axis=-1)) ** 1.5
    a = h**2 / (1 - h)
    degrees = 1 / ((h**2).sum() + a.sum() ** 2 - (a**2).sum())
    se = np.sqrt(np.where(there, variance, np.nan))
    return Robust(mean, se, np.where(there, third, np.nan), float(degrees))


def transformed(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """T without the part that skewness has in it, by Hall's transformation.

    g(t) = t + a t^2 / 3 + a^2 t^3 / 27 + a / 6, with a the skewness of the sums of
    prompts over the square root of their number (Hall 1992): it undoes the first term
    of P(T <= t) = Phi(t) + a (2 t^2 + 1) phi(t) / 6 + ... and rises everywhere. Only
    a > 0 makes a small mean too easily: a < 0 is taken as 0, which errs safely.
    """
    a = np.maximum(skewness, 0.0)
    found: np.ndarray = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
    return found


def exact(given: Sums, epsilon: float) -> np.ndarray:
    """Count the prompts on which the rater is closer: a bound at any size, (...).

    d is 1 at most, so that a mean of epsilon or more needs a prompt's sum to be
    positive with probability epsilon or more. So P(K <= k) for k of U such prompts is
    at most that of a binomial variable with U and epsilon. It says "not worse" rarely
    where the metric is closer as often as the rater; where they mostly tie it is
    almost as sharp as can be. How many texts a prompt has must say nothing of its d.
    """
    k = (given.total > 0).sum(axis=-1)
    found: np.ndarray = scipy.stats.binom.cdf(k, len(given.size), epsilon)
    return found


def constant(given: Sums, epsilon: float) -> np.ndarray:
    """P where the mean d of every prompt is the same v, and t has no variance, (...).

    Of all distributions on [-1, 1] with mean epsilon none gives v in every one of U
    prompts more often than the one on v and 1: ((1 - epsilon) / (1 - v))^U. 1 where v
    is epsilon or more.
    """
    v = given.total.sum(axis=-1) / given.size.sum()
    below = v < epsilon
    base = (1 - epsilon) / (1 - np.where(below, v, 0.0))
    found: np.ndarray = np.where(below, base ** len(given.size), 1.0)
    return found


def test(given: Sums, epsilon: float) -> Tested:
    """Test by prompt that the rater is closer by less than epsilon.

    H0: mean d >= epsilon; t = (mean d - epsilon) / se of `robust`, one-sided. Where
    `MANY_TIES` or more are ties, half a text is added to the sum of d, which is a whole
    number, and t is `transformed`; `exact` where, besides, fewer than `FEW_PROMPTS`
    prompts hold a text that is no tie. `constant` where all prompts are alike.

    Args:
        given: From `sums`.
        epsilon: In [0, 1].

    Returns:
        p and how it was found. NaN and "none" with fewer than five prompts.
    """
    shape = given.total.shape[:-1]
    if len(given.size) < LEAST_PROMPTS:
        return Tested(np.full(shape, np.nan), np.full(shape, NONE))
    found = robust(given)
    half = 0.5 / given.size.sum() / found.se
    t, flat, skewed = found.t(epsilon), np.isnan(found.se), given.ties >= MANY_TIES
    few = skewed & (given.decided < FEW_PROMPTS)
    used = np.where(skewed, transformed(t + half, found.skewness), t)
    p = scipy.stats.t.cdf(used, found.degrees)
    p = np.where(few, exact(given, epsilon), p)
    p = np.where(flat, constant(given, epsilon), p)
    method = np.where(skewed, SKEWED, CR2)
    return Tested(p, np.where(few | flat, EXACT, method))


def mean_of_raters(
    won: np.ndarray, rater: np.ndarray, prompt: np.ndarray, *, level: float = LEVEL
) -> Estimate:
    """The advantage probability: the mean over raters of each one's mean W^f.

    The interval is that of t over U prompts, with the sums of prompts linearised:
    psi_u = sum over raters j of (sum over the texts of u and j of (W - mean_j)) /
    (n_j R), var = U / (U - 1) sum_u psi_u^2.

    Args:
        won: 1 = the metric is at least as close, (m,).
        rater: Of each row, (m,).
        prompt: Of each row, (m,).
        level: Nominal coverage.

    Returns:
        In [0, 1], the interval too; none with fewer than five prompts, or where all are
        alike, as t has no variance there. n counts rows.
    """
    if len(won) == 0:
        return Estimate(None, n=0, reason="no rater can be compared")
    _, who = np.unique(rater, return_inverse=True)
    _, where = np.unique(prompt, return_inverse=True)
    n, u = np.bincount(who), where.max() + 1
    means = np.bincount(who, won) / n
    value = float(means.mean())
    if u < LEAST_PROMPTS:
        return Estimate(value, n=len(won), reason=FEW_UNITS)
    parts = np.bincount(where, (won - means[who]) / n[who] / len(n))
    variance = u / (u - 1) * float((parts**2).sum())
    if variance * u <= ROUNDING:
        return Estimate(value, n=len(won), reason=ALIKE)
    se = math.sqrt(variance)
    half = float(scipy.stats.t.isf((1 - level) / 2, u - 1)) * se
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, len(won))
