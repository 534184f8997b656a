"""Ratings as rows of text, rater, value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scoring.stats._columns import tied


class Ratings(NamedTuple):
    """Ratings as numbers: one of a rater and text, the last one given."""

    row: np.ndarray  # (k,) which of the rows that came
    unit: np.ndarray  # (k,) 0, ..., U - 1
    rater: np.ndarray  # (k,) 0, ..., R - 1; every rating its own if unknown
    value: np.ndarray  # (k,)
    names: np.ndarray  # (R,)


def ratings(unit: np.ndarray, rater: np.ndarray | None, value: np.ndarray) -> Ratings:
    """Keep the last rating of each rater and text; number texts and raters.

    Args:
        unit: The text that is rated, shape (k,), of any kind.
        rater: Who rated it, shape (k,), of any kind; None where nobody knows, so that
            every rating counts as another rater's.
        value: Shape (k,); NaN = missing, and left out.

    Raises:
        ValueError: If the lengths differ.
    """
    value = np.asarray(value, np.float64)
    rater = np.arange(len(value)) if rater is None else np.asarray(rater)
    unit = np.asarray(unit)
    if not unit.shape == rater.shape == value.shape or value.ndim != 1:
        raise ValueError(
            "expected unit, rater and value of one length,"
            f" got {unit.shape}, {rater.shape}, {value.shape}"
        )
    row = np.flatnonzero(~np.isnan(value))
    # Names of all ratings of a large study are not copied once more.
    some = row if len(row) < len(value) else slice(None)
    units, at = np.unique(unit[some], return_inverse=True)
    names, who = np.unique(rater[some], return_inverse=True)
    cell = at.astype(np.int64) * max(1, len(names)) + who
    _, from_end = np.unique(cell[::-1], return_index=True)
    kept = np.sort(len(row) - 1 - from_end)
    return Ratings(row[kept], at[kept], who[kept], value[row[kept]], names)


def others_of(known: Ratings) -> np.ndarray:
    """Mean of the other ratings of the same text, NaN where there are none.

    Means that differ by rounding only are equal.
    """
    m = np.bincount(known.unit)[known.unit] - 1
    others = np.bincount(known.unit, known.value)[known.unit] - known.value
    found = np.divide(others, m, out=np.full(len(m), np.nan), where=m > 0)
    return tied(found[np.newaxis])[0]
