"""Put a study away that is finished: out of the list, and protected from changes."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events
from annotation.models import Opening, Rejudging, Study
from annotation.studies.creating import StudyError

BUSY: dict[type[Opening] | type[Rejudging], str] = {
    Opening: "The pages of this study are being drawn. Wait, or cancel that on"
    " Overview",
    Rejudging: "The submitted pages of this study are being checked again. Wait, or"
    " cancel that on Quality control",
}


def archive(*, study: Study, user: User | None, now: datetime) -> None:
    """Raises StudyError while workers may come."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.archived_at is not None:
            return
        refuse_while_busy(locked, "archive")
        if locked.state == Study.State.OPEN:
            raise StudyError(
                "The study is open. Pause or close it before you archive it."
            )
        _set(locked, now)
        events.log(study=locked, verb="archived", now=now, user=user)


def unarchive(*, study: Study, user: User | None, now: datetime) -> None:
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.archived_at is not None:
            _set(locked, None)
            events.log(study=locked, verb="unarchived", now=now, user=user)


def refuse_while_busy(study: Study, verb: str) -> None:
    """Raises StudyError while a worker changes its pages."""
    for kind, words in BUSY.items():
        if kind.objects.filter(study=study, state__in=kind.UNFINISHED).exists():
            raise StudyError(f"{words}, before you {verb} it.")


def _set(study: Study, at: datetime | None) -> None:
    study.archived_at = at
    study.save(update_fields=["archived_at"])
