"""Agreement corrected for chance in other ways: Cohen's and Fleiss' kappa, Gwet's AC.

For comparison with published tables. They differ in what they take for chance: each
rater's own habits (Cohen), the habits of all (Fleiss), or guessing in hard cases only
(Gwet), which stays high where nearly all ratings are the same.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from scoring.stats.correlation import Coefficient

Weights = Literal["identity", "linear", "quadratic"]
WEIGHTS = get_args(Weights)
NO_PAIR = "no text has two ratings"
ONE_VALUE = "all ratings are the same"


def cohen_kappa(
    first: np.ndarray, second: np.ndarray, weights: Weights = "identity"
) -> Coefficient:
    """Compare two raters of the same texts.

    kappa = (p_o - p_e) / (1 - p_e), where p_o = sum_ck w_ck p_ck is the observed and
    p_e = sum_ck w_ck p_c. p_.k the expected agreement (Cohen 1960, 1968). w is 1 for
    equal values; for others 0 (identity), 1 - |c - k| / range (linear) or
    1 - (c - k)^2 / range^2 (quadratic).

    Args:
        first: Ratings by the one rater, shape (n,). NaN = missing; a text with a
            missing rating is left out.
        second: Ratings of the same texts by the other rater, likewise.
        weights: "identity", "linear" or "quadratic".

    Returns:
        kappa in [-1, 1] and the texts behind it; None with a reason if none has two
        ratings, or if all ratings are the same.

    Raises:
        ValueError: If the weights are unknown or the lengths differ.

    >>> cohen_kappa(np.array([1, 1, 2, 2]), np.array([1, 1, 2, 1])).value
    0.5
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"expected two vectors of one length, got {first.shape}, {second.shape}"
        )
    both = ~(np.isnan(first) | np.isnan(second))
    n = int(both.sum())
    values, at = np.unique(
        np.concatenate([first[both], second[both]]), return_inverse=True
    )
    w = weights_between(values, weights)
    if n == 0:
        return Coefficient(None, NO_PAIR, 0)
    if len(values) == 1:
        return Coefficient(None, ONE_VALUE, n)
    shares = np.eye(len(values))
    a, b = shares[at[:n]], shares[at[n:]]
    observed = ((a.T @ b) * w).sum() / n
    return _corrected(observed, a.mean(axis=0) @ w @ b.mean(axis=0), n)


def fleiss_kappa(counts: np.ndarray) -> Coefficient:
    """Compare any number of raters, who need not be the same for each text.

    kappa = (p_o - p_e) / (1 - p_e), where p_o is the mean over texts of the share of
    equal pairs of ratings and p_e = sum_c pi_c^2, pi_c the mean share of value c
    (Fleiss 1971). Texts may have unequal numbers of ratings, as in Gwet (2014, 2.6):
    those with one count in pi only.

    Args:
        counts: How many raters gave text u the value c, shape (n, V).

    Returns:
        kappa in [-1, 1] and the number of texts with two ratings; None with a reason
        if there is none, or if all ratings are the same.
    """
    counts = np.asarray(counts, np.float64)
    observed, shares, n = _shares(counts, np.eye(counts.shape[1]))
    if n == 0:
        return Coefficient(None, NO_PAIR, 0)
    if (shares > 0).sum() < 2:
        return Coefficient(None, ONE_VALUE, n)
    return _corrected(observed, float(shares @ shares), n)


def gwet_ac(
    counts: np.ndarray, values: np.ndarray, weights: Weights = "identity"
) -> Coefficient:
    """Gwet's AC1 (identity weights) or AC2: agreement that skew does not pull down.

    (p_o - p_e) / (1 - p_e), where p_e = sum_ck w_ck / (q (q - 1)) sum_c pi_c (1 - pi_c)
    for q points of the scale (Gwet 2008; 2014, 4.3), p_o and pi as in `fleiss_kappa`,
    and w as in `cohen_kappa`.

    Args:
        counts: As in `fleiss_kappa`, shape (n, V).
        values: The points of the scale, used or not, shape (V,): p_e depends on how
            many there are.
        weights: As in `cohen_kappa`.

    Returns:
        The value, 1 where all ratings are the same, and the number of texts with two
        ratings; None with a reason if there is none, or if the scale has one point.

    Raises:
        ValueError: If the weights are unknown or the shapes do not match.
    """
    counts, values = np.asarray(counts, np.float64), np.asarray(values, np.float64)
    if counts.ndim != 2 or values.shape != counts.shape[1:]:
        raise ValueError(
            "expected counts (n, V) and values (V,),"
            f" got {counts.shape} and {values.shape}"
        )
    w = weights_between(values, weights)
    observed, shares, n = _shares(counts, w)
    if n == 0:
        return Coefficient(None, NO_PAIR, 0)
    q = len(values)
    if q < 2:
        return Coefficient(None, "the scale has one point only", n)
    return _corrected(observed, w.sum() / (q * (q - 1)) * (shares @ (1 - shares)), n)


def weights_between(values: np.ndarray, weights: Weights) -> np.ndarray:
    """How far each two values agree, in [0, 1], shape (V, V)."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights {weights!r}: expected one of {', '.join(WEIGHTS)}")
    if weights == "identity" or len(values) < 2:
        return np.eye(len(values))
    apart = np.abs(values[:, np.newaxis] - values) / np.ptp(values)
    return 1 - (apart if weights == "linear" else apart**2)


def _shares(counts: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray, int]:
    """Mean agreement within texts, mean share of each value, texts with two ratings."""
    m = counts.sum(axis=1)
    shares = (counts[m > 0] / m[m > 0, np.newaxis]).sum(axis=0) / max(1, (m > 0).sum())
    counts, m = counts[m >= 2], m[m >= 2]
    if len(counts) == 0:
        return 0.0, shares, 0
    agreeing = (counts * (counts @ w - 1)).sum(axis=1)
    return float((agreeing / (m * (m - 1))).mean()), shares, len(counts)


def _corrected(observed: float, expected: float, n: int) -> Coefficient:
    return Coefficient(float((observed - expected) / (1 - expected)), None, n)
