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
from typing import Any

from django.db import models, transaction
from django.db.models import Max
from django.utils import timezone

from annotation.imports._problems import UploadError
from annotation.models import (
    Annotation,
    AttributeLabel,
    Dialogue,
    Generation,
    Import,
    ImportedMean,
    Prompt,
    Reference,
    Storing,
    Study,
    System,
    Upload,
)

log = logging.getLogger(__name__)

# How long a process may say nothing, held up by others, before it counts as dead.
LEASE = timedelta(minutes=2)
AT_ONCE = 500  # rows that are removed in one transaction
PIECES_TIDIED = 20  # at a time: the pulse of a worker has other things to do
OVERTAKEN = (
    "The import stood still for so long that what it had stored was removed: import"
    " the file again."
)
# What the import brings to a study that is there, beside texts; what hangs on others
# first. Texts, ratings and means know which import they came with.
BROUGHT: dict[str, tuple[type[models.Model], str]] = {
    "reference": (Reference, "prompt__study"),
    "prompt": (Prompt, "study"),
    "system": (System, "study"),
    "label": (AttributeLabel, "study"),
}
OWN = (Annotation, ImportedMean, Generation, Dialogue)


def begin(*, record: Import, makes_study: bool, upload: Upload | None) -> Storing:
    """Hide the study. Call inside a transaction, with the study saved."""
    before = {} if makes_study else _last(record.study)
    record.save()
    return Storing.objects.create(
        study=record.study,
        record=record,
        upload=upload,
        makes_study=makes_study,
        before=before,
        until=timezone.now() + LEASE,
    )


def _last(study: Study) -> dict[str, int]:
    found = {}
    for name, (kind, path) in BROUGHT.items():
        rows = kind._default_manager.filter(**{path: study})
        found[name] = rows.aggregate(last=Max("pk"))["last"] or 0
    return found


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
    """Show the study. Call inside the last piece."""
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
    for kind, some in islice(_brought(row), most):
        with piece(row):
            kind._default_manager.filter(pk__in=some).delete()
    with piece(row):
        if next(_brought(row), None):  # for the next time
            Storing.objects.filter(pk=row.pk).update(until=timezone.now())
            return
        (row.study if row.makes_study else row.record).delete()
    log.warning("%s is removed, as it did not come in as a whole", row.record)


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


def _brought(row: Storing) -> Iterator[tuple[type[models.Model], list[int]]]:
    """The rows that this import has stored; more of them once these are removed."""
    for own in OWN:
        yield from _in_pieces(own, {"imported": row.record})
    for name, (kind, path) in BROUGHT.items():
        behind = {path: row.study, "pk__gt": row.before.get(name, 0)}
        yield from _in_pieces(kind, behind)


def _in_pieces(
    kind: type[models.Model], wanted: dict[str, Any]
) -> Iterator[tuple[type[models.Model], list[int]]]:
    rows = kind._default_manager.filter(**wanted).order_by("pk")
    while some := list(rows.values_list("pk", flat=True)[:AT_ONCE]):
        yield kind, some
