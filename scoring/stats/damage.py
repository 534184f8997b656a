"""Damaged texts beside the undamaged texts that they were made of."""

from __future__ import annotations

import numpy as np

# Scores in single precision depend in their last digits on what is scored beside them:
# differences of less than this share of a metric's SD are ties.
TIE = 1e-5


def lower(differences: np.ndarray, tie: float = 0.0) -> np.ndarray:
    """Give a point to each damaged text that is below its source: 1, or 0.5 for a tie.

    Args:
        differences: Damaged minus undamaged, any shape; NaN = missing, and so its
            point.
        tie: Differences up to this are ties.

    >>> lower(np.array([-2.0, 0, 1, np.nan])).tolist()
    [1.0, 0.5, 0.0, nan]
    """
    differences = np.asarray(differences, np.float64)
    points = (differences < -tie) + 0.5 * (np.abs(differences) <= tie)
    return np.where(np.isnan(differences), np.nan, points)


def spread(scores: np.ndarray) -> float | None:
    """Standard deviation, ddof 1, of the scores that are not NaN; None where it is 0.

    None as well with fewer than two scores. Scores that differ by rounding only, by
    1e-12 of the largest, are the same.
    """
    known = np.asarray(scores, np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2 or np.ptp(known) <= 1e-12 * np.abs(known).max():
        return None
    return float(known.std(ddof=1))


def above_others(
    unit: np.ndarray,
    rater: np.ndarray,
    value: np.ndarray,
    *,
    of_unit: np.ndarray,
    of_rater: np.ndarray,
    of_value: np.ndarray,
) -> np.ndarray:
    """Subtract from ratings the mean of what others gave to something else.

    d_k = v_k - mean of the ratings of u_k that are by other raters than r_k. A person
    who has rated both texts remembers, so their own rating of the other is left out.

    Args:
        unit: What each rating is compared with, for example the source of a damaged
            text on one aspect, shape (k,), int.
        rater: Whose rating it is, shape (k,). An empty name is unknown and differs
            from every name.
        value: Which rating it is, shape (k,).
        of_unit: The unit of each rating of those units, shape (l,).
        of_rater: Whose rating that is, shape (l,).
        of_value: Which rating that is, shape (l,).

    Returns:
        Shape (k,) float64, in points; NaN where nobody else has rated the unit.

    >>> two = {"of_unit": np.array([7, 7]), "of_value": np.array([5, 3])}
    >>> name = np.array(["ann", "ben"])
    >>> above_others(np.array([7]), name[:1], np.array([1]), of_rater=name, **two)
    array([-2.])
    """
    names, at = np.unique(of_unit, return_inverse=True)
    at = at.reshape(-1)
    totals = np.bincount(at, of_value, len(names) + 1)
    numbers = np.bincount(at, minlength=len(names) + 1)
    own: dict[tuple[int, str], list[float]] = {}
    for place, name, given in zip(
        at.tolist(), of_rater.tolist(), of_value.tolist(), strict=True
    ):
        if name:
            own.setdefault((place, name), []).append(given)
    where = np.searchsorted(names, unit) if len(names) else np.zeros(len(unit), int)
    there = np.zeros(len(unit), bool)
    inside = where < len(names)
    there[inside] = names[where[inside]] == np.asarray(unit)[inside]
    where = np.where(there, where, len(names))
    mine = [
        own.get(key, []) for key in zip(where.tolist(), rater.tolist(), strict=True)
    ]
    total = totals[where] - np.array([sum(given) for given in mine])
    n = numbers[where] - np.array([len(given) for given in mine], np.int64)
    found = np.full(len(unit), np.nan)
    np.divide(total, n, out=found, where=n > 0)
    return np.asarray(value, np.float64) - found
