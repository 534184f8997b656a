"""Where a text stands among all texts of its study, by what people think of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from annotation.human_scores import per_text
from annotation.models import Study


class Standing(NamedTuple):
    """The mean ratings of all texts on one aspect: each value, and how many have it."""

    aspect: str  # key
    values: list[float]  # ascending, each once
    n: list[int]

    @property
    def of(self) -> int:
        """Texts with a mean."""
        return sum(self.n)

    def around(self, value: float) -> tuple[int, int, int]:
        """How many texts have less, as much, and more. Itself is one of these.

        Also where it is rated so since, and not among the others yet.
        """
        low, high = bisect_left(self.values, value), bisect_right(self.values, value)
        up_to = [0, *accumulate(self.n)]
        equal = max(1, up_to[high] - up_to[low])
        return up_to[low], equal, up_to[-1] - up_to[high]


def standings(study: Study, variant: str = "") -> list[Standing]:
    """Of each aspect, as they count. For `kept`, too. The queries of `means`."""
    scores = per_text.means(study=study)
    found = []
    for column, aspect in enumerate(scores.aspects):
        values = scores.values[:, column]
        each, n = np.unique(values[~np.isnan(values)], return_counts=True)
        found.append(Standing(aspect, each.tolist(), n.tolist()))
    return found
