"""What may be told of a study's data: single answers only where all raters agreed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from scoring.stats.data import Data, Means

# Tables of Data with what one person said.
SINGLE = ("ratings", "unsaid", "negative_ratings", "votes", "error_marks")


def without_single(data: Data) -> Data:
    """Means in place of ratings; no answer of one person, and no choice.

    What is computed from means stays the same to the last digit.
    """
    values, n = data.human_means()
    text, aspect = np.nonzero(np.isfinite(values))
    none = {name: _empty(getattr(data, name)) for name in SINGLE}
    means = Means(text, aspect, values[text, aspect], n[text, aspect])
    lengths = np.empty((0, 0))
    return replace(data, **none, means=means, vote_lengths=lengths)


def _empty(table: Any) -> Any:
    return replace(
        table, **{field.name: getattr(table, field.name)[:0] for field in fields(table)}
    )
