"""How many texts it takes to show a correlation, or that one metric beats another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

POWER = 0.8
ALPHA = 0.05
# Fisher's z has the standard error 1 / sqrt(n - 3).
LOST = 3
# A smaller z is shown by more texts than there will ever be.
NOTHING = 1e-6
IMPOSSIBLE = "three metrics cannot correlate like this"


class Needed(NamedTuple):
    """How many pairs of scores it takes, or why no number is enough."""

    n: int | None  # the smallest whole number
    exact: float | None  # before rounding up
    reason: str | None


class Answer(NamedTuple):
    """A power or a correlation, or why there is none."""

    value: float | None
    reason: str | None


def sample_size(r: float, *, power: float = POWER, alpha: float = ALPHA) -> Needed:
    """Find the number of texts that shows a correlation to differ from 0.

    n = ((z_a + z_b) / atanh r)^2 + 3, with z_a the normal quantile of 1 - alpha / 2 and
    z_b that of the power (Fisher's z; Cohen 1988, section 3.4). For texts that share
    nothing: several texts of one prompt count for fewer.

    Args:
        r: The true correlation, in (-1, 1).
        power: The chance to find it.
        alpha: Two-sided level of the test.

    Raises:
        ValueError: If r is not in (-1, 1), or power or alpha not in (0, 1).

    >>> sample_size(0.3).n, round(sample_size(0.3).exact, 2)
    (85, 84.93)
    """
    _check_correlation(r)
    if abs(r) < NOTHING:
        return Needed(
            None,
            None,
            "no sample is large enough to show that a correlation of 0 differs from 0",
        )
    return _needed((_reach(power, alpha) / np.arctanh(r)) ** 2 + LOST)


def power(r: float, n: int, *, alpha: float = ALPHA) -> Answer:
    """Find the chance that n texts show a correlation to differ from 0.

    Phi(d - z_a) + Phi(-d - z_a), d = |atanh r| sqrt(n - 3): two-sided, by Fisher's z.

    Args:
        r: As in `sample_size`.
        alpha: As in `sample_size`.
        n: Texts that share nothing.

    Returns:
        In [alpha, 1]; None with fewer than 4 texts.
    """
    _check_correlation(r)
    _check_shares(alpha)
    return _chance(abs(np.arctanh(r)), n, alpha)


def detectable(n: int, *, power: float = POWER, alpha: float = ALPHA) -> Answer:
    """Find the smallest correlation that n texts show with this power.

    tanh((z_a + z_b) / sqrt(n - 3)).

    Args:
        n: Texts that share nothing.
        power: As in `sample_size`.
        alpha: As in `sample_size`.

    Returns:
        In (0, 1); None with fewer than 4 texts.
    """
    reach = _reach(power, alpha)
    if n <= LOST:
        return Answer(None, _few())
    return Answer(float(np.tanh(reach / (n - LOST) ** 0.5)), None)


def difference_power(
    r12: float, r13: float, r23: float, n: int, *, alpha: float = ALPHA
) -> Answer:
    """Find the chance that n texts show two metrics to correlate differently.

    As `power`, with d = |atanh r12 - atanh r13| sqrt((n - 3) / (2 - 2 c)), where c is
    the correlation of the two estimates by the approximation of Dunn and Clark (1969),
    for Pearson's r of normal scores:
    c = (r23 (1 - r12^2 - r13^2) - r12 r13 (1 - r12^2 - r13^2 - r23^2) / 2)
        / ((1 - r12^2)(1 - r13^2)).

    Args:
        r12: True correlation of metric 1 with the human scores.
        r13: True correlation of metric 2 with the human scores.
        r23: Correlation between the two metrics.
        n: Texts that share nothing.
        alpha: Two-sided level of the test.

    Returns:
        None with fewer than 4 texts, or if no three scores correlate like this.

    Raises:
        ValueError: If a correlation is not in (-1, 1) or alpha not in (0, 1).
    """
    _check_shares(alpha)
    gap = _gap(r12, r13, r23)
    return Answer(None, IMPOSSIBLE) if gap is None else _chance(gap, n, alpha)


def difference_sample_size(
    r12: float, r13: float, r23: float, *, power: float = POWER, alpha: float = ALPHA
) -> Needed:
    """Find the number of texts that shows two metrics to correlate differently.

    n = (z_a + z_b)^2 (2 - 2 c) / (atanh r12 - atanh r13)^2 + 3, c as in
    `difference_power`.

    Args:
        r12: As in `difference_power`.
        r13: As in `difference_power`.
        r23: As in `difference_power`.
        power: As in `sample_size`.
        alpha: As in `sample_size`.
    """
    reach, gap = _reach(power, alpha), _gap(r12, r13, r23)
    if gap is None:
        return Needed(None, None, IMPOSSIBLE)
    if gap < NOTHING:
        return Needed(
            None,
            None,
            "no sample is large enough to show a difference between equal correlations",
        )
    return _needed((reach / gap) ** 2 + LOST)


def _gap(r12: float, r13: float, r23: float) -> float | None:
    """Difference of the two z in standard errors, for n - 3 = 1."""
    for r in (r12, r13, r23):
        _check_correlation(r)
    a, b, c = r12**2, r13**2, r23**2
    if 1 - a - b - c + 2 * r12 * r13 * r23 <= 0:
        return None
    shared = r23 * (1 - a - b) - r12 * r13 * (1 - a - b - c) / 2
    shared /= (1 - a) * (1 - b)
    return float(abs(np.arctanh(r12) - np.arctanh(r13)) / (2 - 2 * shared) ** 0.5)


def _chance(effect: float, n: int, alpha: float) -> Answer:
    if n <= LOST:
        return Answer(None, _few())
    d, z_a = effect * (n - LOST) ** 0.5, scipy.stats.norm.isf(alpha / 2)
    found = scipy.stats.norm.sf(z_a - d) + scipy.stats.norm.sf(z_a + d)
    return Answer(float(found), None)


def _few() -> str:
    return f"fewer than {LOST + 1} texts"


def _needed(exact: float) -> Needed:
    # Fisher's z has no spread to speak of below 4 texts.
    return Needed(max(int(np.ceil(exact)), LOST + 1), float(exact), None)


def _reach(power: float, alpha: float) -> float:
    _check_shares(power, alpha)
    if power <= alpha:
        raise ValueError(f"expected a power above alpha, got {power} and {alpha}")
    return float(scipy.stats.norm.isf(alpha / 2) + scipy.stats.norm.ppf(power))


def _check_correlation(r: float) -> None:
    if not -1 < r < 1:
        raise ValueError(f"expected a correlation between -1 and 1, got {r}")


def _check_shares(*shares: float) -> None:
    for share in shares:
        if not 0 < share < 1:
            raise ValueError(f"expected power and alpha between 0 and 1, got {share}")
