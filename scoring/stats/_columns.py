"""Columns of scores with gaps, as blocks of columns without any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

# Relative differences this small are rounding, and would give any correlation.
ROUNDING = 1e-12


class Block(NamedTuple):
    """Metrics and aspects that miss the same rows, and the rows they have."""

    metrics: np.ndarray  # columns of x
    aspects: np.ndarray  # columns of y
    rows: np.ndarray  # indices of the rows where none is missing

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the pairs of the block stand in an array of metrics x aspects."""
        return self.metrics[:, np.newaxis], self.aspects[np.newaxis, :]


def columns(scores: np.ndarray) -> np.ndarray:
    """Scores as float64 (n, columns); one vector is one column."""
    scores = np.asarray(scores, np.float64)
    return scores[:, np.newaxis] if scores.ndim == 1 else scores


def both(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Metrics (n, M) and aspects (n, A) of the same rows.

    Raises:
        ValueError: If they have not as many rows, or more than two dimensions.
    """
    x, y = columns(x), columns(y)
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y):
        raise ValueError(
            f"expected scores of the same rows, (n, M) and (n, A),"
            f" got {x.shape} and {y.shape}"
        )
    return x, y


def places(labels: np.ndarray, n: int, what: str) -> tuple[np.ndarray, int]:
    """Labels of n rows as 0, 1, ... in their order, and how many different there are.

    Args:
        labels: Of any kind that can be sorted.
        n: How many rows there are.
        what: What a label names, for the error.

    Raises:
        ValueError: If there are not n labels.
    """
    names, at = np.unique(np.asarray(labels), return_inverse=True)
    if at.size != n:
        raise ValueError(f"expected the {what} of each of {n} rows, got {at.size}")
    return at.reshape(-1), len(names)


def blocks(x: np.ndarray, y: np.ndarray) -> Iterator[Block]:
    """Split the pairs of columns by the rows that they have in common.

    A pair is left with the rows in which neither is missing, as if it were alone; where
    nothing is missing there is one block, and all pairs are computed at once.
    """
    for metrics, in_x in alike(x):
        for aspects, in_y in alike(y):
            yield Block(metrics, aspects, np.flatnonzero(in_x & in_y))


def alike(scores: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Columns that have the same rows, and those rows as a mask."""
    present = ~np.isnan(scores)
    patterns: dict[bytes, list[int]] = {}
    for column in range(scores.shape[1]):
        patterns.setdefault(present[:, column].tobytes(), []).append(column)
    for same in patterns.values():
        yield np.array(same), present[:, same[0]]


def vary(scores: np.ndarray, axis: int = 0) -> np.ndarray:
    """Whether scores without gaps are finite and not all the same, along an axis."""
    if scores.shape[axis] == 0:
        return np.zeros(np.delete(scores.shape, axis), bool)
    low, high = scores.min(axis), scores.max(axis)
    largest = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.isfinite(largest) & (high - low > ROUNDING * largest)


def standardised(scores: np.ndarray) -> np.ndarray:
    """Columns that vary, with mean 0 and largest absolute value 1.

    Correlations stay, and squares neither overflow nor cancel.
    """
    scores = scores / np.abs(scores).max(axis=0)
    scores = scores - scores.mean(axis=0)
    return scores / np.abs(scores).max(axis=0)


def tied(scores: np.ndarray) -> np.ndarray:
    """Make means equal that differ by rounding only, along the rows (k, n).

    The means of 0.1 and 0.2 and of 0.3 and 0 are equal, but not as floats: such noise
    would break ties where order counts. NaN stays.
    """
    if scores.shape[1] == 0:
        return scores
    largest = np.where(np.isfinite(scores), np.abs(scores), 0).max(axis=1, initial=0)
    order = np.argsort(scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    with np.errstate(invalid="ignore"):
        close = np.diff(ordered, axis=1) <= ROUNDING * largest[:, np.newaxis]
    first = np.where(close, 0, np.arange(1, scores.shape[1]))
    first = np.maximum.accumulate(np.insert(first, 0, 0, axis=1), axis=1)
    found = np.empty_like(scores)
    np.put_along_axis(found, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return found
