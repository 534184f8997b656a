"""The scheme of a study, which each process of the site keeps for its pages."""

from __future__ import annotations

import time
from functools import lru_cache
from uuid import UUID

from annotation.kinds.spans.models import SpanScheme
from annotation.kinds.spans.scheme import ESA, Scheme, of_json
from annotation.models import Study
from annotation.seats.aspects import FRESH, MOST_STUDIES

DEFAULT = "esa"
TITLES = {
    "esa": "ESA: minor and major errors, without categories",
    "mqm": "MQM: accuracy, fluency, terminology, style and more",
    "facts": "Errors of facts, as in summaries and texts made from data",
    "": "A list of your own",
}


def of_study(study: Study) -> Scheme:
    """One query, or none. A study in which nobody chose has that of ESA."""
    if study.state == Study.State.DRAFT:  # it may still change
        return _read(study.public_id)
    return _kept(study.public_id, int(time.monotonic() / FRESH))


@lru_cache(maxsize=MOST_STUDIES)
def _kept(public_id: UUID, minute: int) -> Scheme:
    return _read(public_id)


def _read(public_id: UUID) -> Scheme:
    row = SpanScheme.objects.filter(study__public_id=public_id).first()
    return of_json(row.scheme) if row else ESA


def keep(study: Study, scheme: Scheme, preset: str) -> None:
    SpanScheme.objects.update_or_create(
        study=study, defaults={"preset": preset, "scheme": scheme.as_json()}
    )
