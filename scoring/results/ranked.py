"""What the scores of a text are ranked against in a large study, as `kept` has it.

To count how many of 2 million scores are better takes a page more than a second. A
worker sorts them once, and the page looks its few scores up.
"""

from __future__ import annotations

import base64
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Max, Sum

from annotation import kept
from annotation.human_scores import corrections
from annotation.models import Study
from scoring.models import Chunk
from scoring.scores import references
from scoring.scores.texts import metric_scores


class Ranked(NamedTuple):
    """Scores of one output: each value, and how many texts have at most it.

    Arrays are bytes in base64: as numbers of JSON they would take a page a second.
    """

    signature: int
    output: str
    values: str  # float64, ascending, each once
    up_to: str  # int64

    def around(self, value: float) -> tuple[int, int, int]:
        """How many texts have less, as much, and more. Itself is one of these."""
        values = np.frombuffer(base64.b64decode(self.values))
        up_to = np.append(0, np.frombuffer(base64.b64decode(self.up_to), np.int64))
        low = np.searchsorted(values, value, "left")
        high = np.searchsorted(values, value, "right")
        less, at_most = int(up_to[low]), int(up_to[high])
        return less, at_most - less, int(up_to[-1]) - at_most


def ranked(study: Study, variant: str = "") -> list[Ranked]:
    """Of each output. For `kept`; few queries, but all scores of the study."""
    references.drop_outdated(study=study)  # before they are ranked against
    ids = np.array(study.generations.order_by("pk").values_list("pk", flat=True))
    if not len(ids):
        return []
    found = []
    for one in metric_scores(study=study, generations=ids):
        values = one.values[~np.isnan(one.values)]
        each, n = np.unique(values, return_counts=True)
        parts = (each.tobytes(), np.cumsum(n).astype(np.int64).tobytes())
        both = (base64.b64encode(part).decode() for part in parts)
        found.append(Ranked(one.signature.pk, one.output.key, *both))
    return found


def stamp(study: Study) -> str:
    """Changes when scores do, also while a run is at it. A few small queries."""
    chunks = Chunk.objects.filter(run__study=study).aggregate(
        Count("pk"), Max("pk"), Sum("done_items"), Max("finished_at")
    )
    texts = study.generations.aggregate(Count("pk"), Max("pk"))
    found = [*chunks.values(), *texts.values(), corrections.stamp(study=study)]
    return "/".join(str(number or 0) for number in found)


def known(*, study: Study) -> dict[tuple[int, str], Ranked]:
    """By signature and output, of the scores as they are now; else nothing.

    Nothing in a small study, either: there it is quicker to count.
    """
    if not kept.is_large(study):
        return {}
    found = kept.read(study=study, name="ranked")
    if not found.fresh or found.value is None:
        return {}
    return {(one.signature, one.output): one for one in found.value}
