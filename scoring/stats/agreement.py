"""How far people agree: Krippendorff's alpha of ratings with gaps.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import krippendorff
import numpy as np

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = get_args(Level)

# The package builds three arrays of units x values x values. Up to this many cells
# that is some 100 MB; above, the same sums are taken as one matrix product.
MAX_CELLS = 4_000_000


class Alpha(NamedTuple):
    """Alpha, or why there is none, and what it rests on."""

    value: float | None  # (-inf, 1]; 1 = perfect agreement, 0 = as by chance
    reason: str | None  # why value is None
    n_units: int  # units with at least two ratings: the others say nothing
    n_ratings: int  # ratings of those units


def alpha(counts: np.ndarray, values: np.ndarray, level: Level) -> Alpha:
    """Measure how far raters agree, beyond what chance would give.

    alpha = 1 - sum_ck o_ck d_ck / sum_ck e_ck d_ck, where o are the observed and e the
    expected coincidences of the values c and k, and d is the squared difference that
    belongs to the level of measurement (Krippendorff 2011, section E). For ordinal
    data d_ck = (n_c/2 + sum of n between c and k + n_k/2)^2: it needs no distances
    between the points of a scale, only their order.

    Args:
        counts: How many raters gave unit u the value c, shape (n, V). Raters need not
            be the same, nor as many, for each unit.
        values: The value of each column, shape (V,), in any order.
        level: "nominal", "ordinal", "interval" or "ratio".

    Returns:
        The value, None with a reason where no unit has two ratings or where all
        ratings that can be compared are the same. Units with fewer than two ratings
        are left out and not counted.

    Raises:
        ValueError: If the level is unknown or the shapes do not match.

    >>> alpha(np.array([[2, 0], [1, 1], [0, 2]]), np.array([1, 2]), "nominal").value
    0.4444444444444444
    """
    if level not in LEVELS:
        raise ValueError(f"level {level!r}: expected one of {', '.join(LEVELS)}")
    counts, values = _used(counts, values)
    n_units, n_ratings = len(counts), int(counts.sum())
    if n_units == 0:
        return Alpha(None, "no text has two ratings", 0, 0)
    if len(values) < 2:
        return Alpha(None, "all ratings are the same", n_units, n_ratings)
    if n_units * len(values) ** 2 > MAX_CELLS:
        value = _by_product(counts, values, level)
    else:
        value = krippendorff.alpha(
            value_counts=counts, value_domain=values, level_of_measurement=level
        )
    return Alpha(float(value), None, n_units, n_ratings)


def equal_share(counts: np.ndarray) -> float | None:
    """Share of equal pairs of ratings, each unit weighted by its ratings, in [0, 1].

    1 - D_o of nominal alpha: what alpha corrects for chance. Read beside alpha, which
    is low when nearly all ratings are the same, however well raters agree.

    Args:
        counts: As in `alpha`, shape (n, V).

    Returns:
        None where no unit has two ratings.
    """
    m = counts.sum(axis=1)
    counts, m = counts[m >= 2], m[m >= 2]
    if len(counts) == 0:
        return None
    equal = (counts * (counts - 1)).sum(axis=1) / (m - 1)
    return float(equal.sum() / m.sum())


def _used(counts: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Units with two ratings or more, and values that occur in them, in order."""
    counts, values = np.asarray(counts), np.asarray(values)
    if counts.ndim != 2 or values.shape != counts.shape[1:]:
        raise ValueError(
            "expected counts (n, V) and values (V,),"
            f" got {counts.shape} and {values.shape}"
        )
    counts = counts[counts.sum(axis=1) >= 2]
    order = np.argsort(values, kind="stable")
    occurs = counts.sum(axis=0) > 0
    order = order[occurs[order]]
    return counts[:, order], values[order]


def _by_product(counts: np.ndarray, values: np.ndarray, level: str) -> float:
    """Alpha with arrays of V x V only. Two or more values, all in use and sorted."""
    counts = counts.astype(np.float64)
    m = counts.sum(axis=1)
    n = counts.sum(axis=0)
    weighted = counts / (m - 1)[:, np.newaxis]
    o = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    e = (np.outer(n, n) - np.diag(n)) / (n.sum() - 1)
    d = _differences(values.astype(np.float64), n, level)
    return 1 - (o * d).sum() / (e * d).sum()


def _differences(values: np.ndarray, n: np.ndarray, level: str) -> np.ndarray:
    """Squared difference of each two values, shape (V, V)."""
    if level == "ordinal":  # the same as interval data on the mean ranks
        values = np.cumsum(n) - n / 2
    c, k = values[:, np.newaxis], values[np.newaxis, :]
    if level == "nominal":
        return (c != k).astype(np.float64)
    if level == "ratio":
        total = c + k
        return np.divide(c - k, total, out=np.zeros_like(total), where=total != 0) ** 2
    return (c - k) ** 2
