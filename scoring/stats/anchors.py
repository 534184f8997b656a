"""Whether a judge still judges as it did: anchors asked again, tested at every look.

A test that is done again each month finds something by chance sooner or later. So the
number of looks is stated before the first, and each spends its part of one error rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

from scoring.stats import cluster_t
from scoring.stats.correlation import pearson
from scoring.stats.estimates import Estimate

ALPHA = 0.05
LOOKS = 12  # a year of months
# Of the error rate; the rest is for the agreement with people, where an interval needs
# many more texts and a smaller part costs little.
FOR_MEAN = 0.8
LEAST = 10  # rated anchors, below which a change of a correlation is not tested
FEW_RATED = f"needs {LEAST} anchors with ratings and both scores"
NO_LOOK_LEFT = "all planned looks are used"


class Look(NamedTuple):
    """What one asking says against the first one."""

    mean: Estimate  # change in points
    agreement: Estimate  # change of Pearson's r with people
    drifted: bool  # either interval leaves out 0


def level_of_look(looks: int, alpha: float = ALPHA) -> float:
    """The two-sided level at which each of several looks is tested.

    1 - (1 - alpha)^(1 / K): equal parts of alpha for K looks. With normal statistics
    the chance that any of them passes by chance is then alpha if the looks share
    nothing, and less if they do, however they correlate (Sidak 1967, corollary 1). All
    looks share the first asking, so it is less.

    Args:
        looks: How many there will be at most, 1 or more.
        alpha: The error rate of all of them together.

    Raises:
        ValueError: If there is no look, or alpha is not in (0, 1).

    >>> round(level_of_look(12), 5)
    0.00427
    """
    if looks < 1 or not 0 < alpha < 1:
        raise ValueError(f"expected looks and 0 < alpha < 1, got {looks}, {alpha}")
    return float(-np.expm1(np.log1p(-alpha) / looks))


def boundary(looks: int, alpha: float = ALPHA) -> float:
    """The |z| that each look must pass: the normal quantile of `level_of_look`.

    That of the studentized maximum modulus with infinite degrees of freedom (tabled by
    Stoline and Ury 1979).

    >>> round(boundary(10), 3)
    2.8
    """
    return float(scipy.stats.norm.isf(level_of_look(looks, alpha) / 2))


def power(
    change: float, sd: float, anchors: int, *, looks: int = LOOKS, alpha: float = ALPHA
) -> float:
    """The chance that the first look after a change of the mean finds it.

    P(|T| > c), where T has the noncentral t distribution with n - 1 degrees of freedom
    and noncentrality change sqrt(n) / sd, and c is its central quantile at the level of
    a look, with the mean's part of alpha.

    Args:
        change: Of the mean, in points.
        sd: Of the paired differences of single anchors, in points.
        anchors: How many, each of another prompt.
        looks: As in `level_of_look`.
        alpha: For the mean and the agreement together.

    Raises:
        ValueError: If there are fewer than two anchors or sd is not positive.

    >>> round(power(0.2, 0.6, 200), 3)
    0.959
    """
    if anchors < 2 or not sd > 0:
        raise ValueError(f"expected two anchors and sd > 0, got {anchors}, {sd}")
    degrees = anchors - 1
    c = scipy.stats.t.isf(level_of_look(looks, alpha * FOR_MEAN) / 2, degrees)
    far = change * anchors**0.5 / sd
    above = scipy.stats.nct.sf(c, degrees, far)
    return float(above + scipy.stats.nct.cdf(-c, degrees, far))


def look(
    first: np.ndarray,
    now: np.ndarray,
    human: np.ndarray,
    units: np.ndarray,
    *,
    looks: int = LOOKS,
    alpha: float = ALPHA,
) -> Look:
    """Compare an asking with the first one.

    Mean: m = sum (b - a) / n. Agreement: r(b, h) - r(a, h), Pearson's, with the
    variance of its influence function, psi = z_x z_h - r (z_x^2 + z_h^2) / 2 (Devlin,
    Gnanadesikan and Kettenring 1975), which takes in that both share the texts and the
    people. Both have repeated confidence intervals (Jennison and Turnbull 1989): of t
    over units, at 1 - `level_of_look`; those of all looks hold together. The mean
    spends 0.8 of alpha and the agreement the rest.

    Args:
        first: Scores at the first asking, shape (n,). NaN = missing; an anchor that
            lacks either score is left out.
        now: Scores of the same anchors at this asking.
        human: Mean human scores, of when the anchors were chosen; NaN = not rated.
        units: What shares something, mostly the prompt.
        looks: How many there will be at most, this one included.
        alpha: The error rate of all looks and both numbers together.

    Returns:
        The mean in points. No agreement with fewer than ten rated anchors, or where a
        side is constant; it is not tested then.

    Raises:
        ValueError: If the shapes do not match.
    """
    first, now, human = (np.asarray(x, np.float64) for x in (first, now, human))
    units = np.asarray(units)
    if not first.shape == now.shape == human.shape == units.shape:
        raise ValueError("expected vectors of one length")
    for_mean = 1 - level_of_look(looks, alpha * FOR_MEAN)
    for_r = 1 - level_of_look(looks, alpha * (1 - FOR_MEAN))
    mean = cluster_t.mean(
        now - first, units, level=for_mean, reason="no anchor has both scores"
    )
    agreement = _agreement(first, now, human, units, for_r)
    return Look(mean, agreement, any(map(cluster_t.side, (mean, agreement))))


def _agreement(
    first: np.ndarray,
    now: np.ndarray,
    human: np.ndarray,
    units: np.ndarray,
    level: float,
) -> Estimate:
    known = ~np.isnan(first + now + human)
    n = int(known.sum())
    if n < LEAST:
        return Estimate(None, n=n, reason=FEW_RATED)
    first, now, human = first[known], now[known], human[known]
    names = ("the judge's scores", "human scores")
    before, after = pearson(first, human, names), pearson(now, human, names)
    if before.value is None or after.value is None:
        return Estimate(None, n=n, reason=before.reason or after.reason)
    moved = _influence(now, human, after.value) - _influence(first, human, before.value)
    points = after.value - before.value + moved
    return cluster_t.mean(points, units[known], level=level)


def _influence(x: np.ndarray, y: np.ndarray, r: float) -> np.ndarray:
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    return x * y - r * (x * x + y * y) / 2
