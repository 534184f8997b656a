"""Distinct-n over all texts of a system: how much its texts repeat each other.

distinct-n = number of different n-grams / number of n-grams of all texts together, in
(0, 1], after Li et al. (2016); no n-gram spans two texts. None where there is no
n-gram. More texts give lower values, so compare systems with equally many texts. It has
no good direction of its own: what counts is how close it is to human text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.metrics import distinct
from scoring.metrics._base import Output, SystemMetric
from scoring.metrics._words import words


class CorpusDistinct(SystemMetric):
    """Share of n-grams of a system's texts that are different ones, n = 1 to 4."""

    title = "Distinct-n of each system"
    source = "Li et al. (2016)"
    link = "https://aclanthology.org/N16-1014"

    @property
    def outputs(self) -> tuple[Output, ...]:
        return distinct.outputs()

    def score(
        self, texts: Sequence[str], corpus: Sequence[str], rng: np.random.Generator
    ) -> dict[str, float | None]:
        """Neither corpus nor rng plays a part."""
        return distinct.distinct(map(words, texts))
