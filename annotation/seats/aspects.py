"""The questions of a study, which each process of the site keeps for its pages."""

from __future__ import annotations

import time
from functools import lru_cache
from uuid import UUID

from annotation.models import Aspect, Study

MOST_STUDIES = 64
FRESH = 60  # seconds; an administrator may correct a question


def of_study(study: Study) -> tuple[Aspect, ...]:
    """One query, or none."""
    if study.state == Study.State.DRAFT:  # they may still change
        return tuple(study.aspects.all())
    return _aspects(study.public_id, int(time.monotonic() / FRESH))


def of_texts(study: Study) -> list[Aspect]:
    """Without those on whole dialogues. One query, or none."""
    return [one for one in of_study(study) if not one.is_of_dialogue]


@lru_cache(maxsize=MOST_STUDIES)
def _aspects(public_id: UUID, minute: int) -> tuple[Aspect, ...]:
    rows = Aspect.objects.filter(study__public_id=public_id)
    return tuple(rows.select_related("study"))  # its scale may be theirs
