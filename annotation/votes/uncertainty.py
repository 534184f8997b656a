"""Between which systems the votes so far say least."""

from __future__ import annotations

import numpy as np

from annotation.models import Study
from annotation.votes import reading
from scoring.stats import next_pairs
from scoring.stats import votes as counting


def between_systems(*, study: Study) -> dict[frozenset[int], float]:
    """Variance of the difference of strengths of each two systems, by their ids.

    Votes on all questions together: a pair is drawn once for all of them.
    """
    ids = list(study.systems.order_by("pk").values_list("pk", flat=True))
    place = {pk: n for n, pk in enumerate(ids)}
    cast = [
        (place[row.first], place[row.second], row.outcome)
        for row in reading.rows(study=study)
    ]
    first, second, outcome = np.array(cast, np.int64).reshape(-1, 3).T
    found = next_pairs.variances(
        *counting.tally(counting.read(first, second, outcome, len(ids)))
    )
    return {
        frozenset((one, other)): float(found[i, j])
        for i, one in enumerate(ids)
        for j, other in enumerate(ids)
        if i < j
    }
