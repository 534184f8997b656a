"""Store the rows of a file in pieces, and show them when all are in.

In one transaction, whoever else writes to SQLite would wait until the end of it: a
worker's answer was refused after a minute. Between two pieces, others have their turn.
Until the last one is in, nobody sees the study. What a killed process has left behind
is removed: by the next attempt at the same file, or by `tidy`.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from annotation.imports._brought import AFTER, BEFORE, brought, last_rows
from annotation.imports._problems import UploadError
from annotation.models import (
    Annotation,
    Import,
    ImportedMean,
    Storing,
    Study,
    Upload,
)

log = logging.getLogger(__name__)

# How long a process may say nothing, held up by others, before it counts as dead.
LEASE = timedelta(minutes=2)
PIECES_TIDIED = 20  # at a time: the pulse of a worker has other things to do
OVERTAKEN = (
    "The import stood still for so long that what it had stored was removed: import"
    " the file again."
)
# Sent in the last piece of the removal of a finished import, with `record`: what else
# came with its file goes as well.
removing = Signal()


def begin(*, record: Import, makes_study: bool, upload: Upload | None) -> Storing:
    """Hide the study. Call inside a transaction, with the study saved."""
    before = {} if makes_study else last_rows(record.study)
    record.save()
    return Storing.objects.create(
        study=record.study,
        record=record,
        upload=upload,
        makes_study=makes_study,
        before=before,
        until=timezone.now() + LEASE,
    )


@contextmanager
def piece(row: Storing) -> Iterator[None]:
    """A transaction of this import, as long as nobody has begun to remove it.

    Raises:
        UploadError: It counted as dead.
    """
    with transaction.atomic():
        held = Storing.objects.filter(pk=row.pk, token=row.token)
        if not held.update(until=timezone.now() + LEASE):
            raise UploadError([OVERTAKEN])
        yield


def end(row: Storing) -> None:
    """Show the study, and note which rows came. Call inside the last piece."""
    record = row.record
    record.options |= {BEFORE: row.before, AFTER: last_rows(row.study)}
    record.save(update_fields=["options"])
    Storing.objects.filter(pk=row.pk, token=row.token).delete()


# What came in only in part ------------------------------------------------------------


def undo(row: Storing, *, most: int | None = None) -> None:
    """Remove what was stored, at most so many pieces. Nothing if others do it."""
    held = Storing.objects.filter(pk=row.pk, token=row.token)
    token = uuid.uuid4()
    if held.update(token=token, until=timezone.now() + LEASE):
        row.token = token
        with suppress(UploadError):  # from here on, others do it
            _undo(row, most)


def _undo(row: Storing, most: int | None) -> None:
    for kind, some in islice(brought(row), most):
        with piece(row):
            kind._default_manager.filter(pk__in=some).delete()
    with piece(row):
        if next(brought(row), None):  # for the next time
            Storing.objects.filter(pk=row.pk).update(until=timezone.now())
            return
        if row.undoes:
            _forget(row.record)
            return
        (row.study if row.makes_study else row.record).delete()
    log.warning("%s is removed, as it did not come in as a whole", row.record)


def _forget(record: Import) -> None:
    """What came with the last rows of a finished import that was taken back."""
    study = record.study
    removing.send(Import, record=record)
    record.delete()
    rated = Annotation.objects.filter(imported__study=study)
    means = ImportedMean.objects.filter(imported__study=study)
    if not rated.exists() and not means.exists():
        Study.objects.filter(pk=study.pk).update(rated_elsewhere=False)


def undo_all_of(upload: Upload) -> None:
    """What an attempt at this file left that is known to be dead."""
    for row in Storing.objects.filter(upload=upload):
        undo(row)


def tidy(*, now: datetime, name: str | None = None) -> None:
    """Remove what dead imports left, some of it at a time; all of a named study."""
    rows = Storing.objects.filter(until__lte=now).select_related("study", "record")
    if name is not None:
        rows = rows.filter(study__name=name)
    for row in rows:
        undo(row, most=PIECES_TIDIED if name is None else None)
