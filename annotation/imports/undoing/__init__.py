"""Take back an import that is in, as long as nobody has rated what came with it.

What it brought is removed in pieces, as of an import that was broken off, and by the
same code: once it has begun, nobody sees the study until the last piece is gone, and
where the process is killed, the pulse of a worker goes on.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.dispatch import Signal
from django.utils import timezone

from annotation import events
from annotation.imports import _curtain
from annotation.imports._brought import AFTER, pages_of
from annotation.imports.intakes import INTAKES, Intake
from annotation.models import (
    Annotation,
    Import,
    ImportedMean,
    Opening,
    Place,
    Seat,
    Storing,
    Study,
)

PLACES_AT_ONCE = 10_000  # SQLite takes so many values in a statement, and some more
WAITED_FOR = 400  # pieces that are removed while somebody waits: 15 seconds at most
# Sent before, with `record`. Receivers return why not; empty: nothing speaks against.
undo_asked = Signal()

OPEN = "The study is open, so workers may get its pages at any time. Pause it first."
OPENING = "The pages of the study are being prepared. Wait until that is done."
STORING = "Another file is being added or undone. Try again in a minute."
TOO_OLD = (
    "The file was added before EvalApp noted which rows came with one, so they cannot"
    " be told apart. Make a new study instead."
)


class NotUndone(Exception):
    """Nothing was changed. The message says why, and what to do."""


def why_not_undone(record: Import) -> str:
    """Why the import cannot be taken back now; empty: it can."""
    # As it is now: it may have been opened since whoever asks has read it.
    study = Study.objects.get(pk=record.study_id)
    if Storing.objects.filter(study=study).exists():
        return STORING
    if intake_of(record) is None and (reason := _why_not_texts(record, study)):
        return reason
    said = [answer for _, answer in undo_asked.send(Import, record=record)]
    return next(filter(None, said), "")


def intake_of(record: Import) -> Intake | None:
    """Which of the register has stored it; None: it has texts, or ratings of texts."""
    return next((one for one in INTAKES.values() if record.format in one.formats), None)


def undo(
    *,
    record: Import,
    user: User | None = None,
    now: datetime | None = None,
    most: int | None = None,
) -> bool:
    """Take it back; False: the rest is left to a worker, after so many pieces.

    Raises:
        NotUndone: If people have rated what it brought, or may do so just now.
    """
    now = now or timezone.now()
    if intake := intake_of(record):
        _undo_at_once(intake, record, user, now)
        return True
    try:
        with transaction.atomic():
            row = _begin(record, user, now)
    except IntegrityError as error:  # another process hides the study
        raise NotUndone(STORING) from error
    _curtain.undo(row, most=most)
    return not Storing.objects.filter(pk=row.pk).exists()


def _undo_at_once(
    intake: Intake, record: Import, user: User | None, now: datetime
) -> None:
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=record.study_id)
        if not Import.objects.filter(pk=record.pk).exists():
            return  # a second click was faster
        if reason := why_not_undone(record):
            raise NotUndone(reason)
        _log(record, user, now)
        intake.remove(record)


def _begin(record: Import, user: User | None, now: datetime) -> Storing:
    """Hide the study, and see to it that nobody is given a page of these texts.

    A worker who takes a place locks it: either they are first and seen here, or they
    wait, and find it taken.
    """
    study = Study.objects.select_for_update().get(pk=record.study_id)
    if not Import.objects.filter(pk=record.pk).exists():
        raise NotUndone("It is undone already.")
    places = Place.objects.filter(survey__in=pages_of(record)).values("pk")
    # In the order in which everybody locks several of them, or two could wait in turn.
    found = Place.objects.filter(pk__in=places).order_by("pk")
    locked = list(found.select_for_update().values_list("pk", flat=True))
    if reason := why_not_undone(record):
        raise NotUndone(reason)
    for at in range(0, len(locked), PLACES_AT_ONCE):
        some = Place.objects.filter(pk__in=locked[at : at + PLACES_AT_ONCE])
        some.update(free=False, lease_until=None)
    _log(record, user, now)
    return Storing.objects.create(
        study=study,
        record=record,
        makes_study=False,
        undoes=True,
        until=timezone.now() + _curtain.LEASE,
    )


def _why_not_texts(record: Import, study: Study) -> str:
    if study.state == Study.State.OPEN:
        return OPEN
    if Opening.objects.filter(study=study, state__in=Opening.UNFINISHED).exists():
        return OPENING
    if AFTER not in record.options:
        return TOO_OLD
    if n := Seat.objects.filter(survey__in=pages_of(record)).count():
        pages = "1 page" if n == 1 else f"{n:,} pages"
        return (
            f"Workers were given {pages} with its texts, so what they answered would be"
            " lost. Exclude the texts instead, under Texts."
        )
    return _why_not_rated(record)


def _why_not_rated(record: Import) -> str:
    """Other files may have rated its texts, by their ids."""
    for kind in (Annotation, ImportedMean):
        rows = kind._default_manager.filter(generation__imported=record)
        other = rows.exclude(imported=record).select_related("imported").first()
        if other is not None and other.imported is not None:
            name = other.imported.file_name
            return f"{name} has ratings of its texts: undo it first."
        if other is not None:
            return "People have rated its texts here."
    return ""


def _log(record: Import, user: User | None, now: datetime) -> None:
    rows = "1 row" if record.n_rows == 1 else f"{record.n_rows:,} rows"
    events.log(
        study=record.study,
        verb="undid-import",
        now=now,
        user=user,
        about=record.file_name,
        detail=f"{rows}, added on {record.created_at:%Y-%m-%d}",
    )
