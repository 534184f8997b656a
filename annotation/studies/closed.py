"""Studies that were closed so long ago that something of them must go."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from annotation.models import Study


def closed_for(
    studies: QuerySet[Study], days_of: Callable[[Study], int | None], *, now: datetime
) -> dict[str, Study]:
    """Those of these whose days are over; a study without days is never among them.

    The key names this closing: a study that is opened again starts over.
    """
    over = {}
    for study in studies.filter(state=Study.State.CLOSED, closed_at__isnull=False):
        days = days_of(study)
        if study.closed_at is None or days is None:
            continue
        if study.closed_at + timedelta(days=days) <= now:
            over[f"{study.pk} {study.closed_at}"] = study
    return over
