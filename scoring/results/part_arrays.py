"""The random part of a study's texts that people are asked about, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import Max, QuerySet

from annotation.models import Generation, Study
from scoring.stats.data import NONE, Drawn

FIELDS = ("asked", "stratum", "probability")


def of_texts(
    asked: Sequence[bool | None],
    stratum: Sequence[int | None],
    probability: Sequence[float | None],
) -> Drawn:
    """A row for each text in the order of ids; none where all texts are asked about.

    Takes FIELDS of all texts, read in the query that reads the texts: one that came in
    between would have no row here. A text that came after the draw is in no stratum
    until it is drawn from.
    """
    if all(p is None for p in probability):
        return Drawn.of()
    return Drawn.of(
        (bool(a), NONE if s is None else s, np.nan if p is None else p)
        for a, s, p in zip(asked, stratum, probability, strict=True)
    )


def stamp(*, study: Study) -> str:
    """Tell whether texts were drawn from since; empty where none ever were."""
    found = _drawn_from(study).aggregate(last=Max("stratum"))["last"]
    return "" if found is None else f"{found}-{_drawn_from(study).count()}"


def _drawn_from(study: Study) -> QuerySet[Generation]:
    return study.generations.exclude(probability=None).order_by()
