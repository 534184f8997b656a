"""Results of texts, from one row each to the arrays of `Scores`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics._engine.batches import Meter


def padded(rows: Sequence[np.ndarray | str | None]) -> np.ndarray:
    """Rows of unequal length to a rectangle, float64, with NaN behind.

    What is no array, a reason say, is a row without numbers.
    """
    arrays = [row if isinstance(row, np.ndarray) else np.empty(0) for row in rows]
    table = np.full((len(rows), max(map(len, arrays), default=0)), np.nan)
    for line, values in zip(table, arrays, strict=True):
        line[: len(values)] = values
    return table


def by_slabs(
    key: str,
    examples: Sequence[Example],
    progress: Progress | None,
    scored: Callable[[Sequence[Example], Meter], list[float | str]],
    *,
    size: int,
) -> Scores:
    """Scores of one output, `size` texts planned at once.

    `scored` gives each text's number, or the reason why there is none.
    """
    meter = Meter(progress)
    found: list[float | str] = []
    for start in range(0, len(examples), size):
        found += scored(examples[start : start + size], meter)
    values = [np.nan if isinstance(one, str) else one for one in found]
    reasons = [one if isinstance(one, str) else None for one in found]
    return Scores({key: np.array(values, dtype=np.float64)}, {key: reasons})
