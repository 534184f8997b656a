"""Check and import a file: a small one at once, a large one by a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from annotation import imports
from annotation.assistant import keeping
from annotation.assistant.choices import FORMAT, LOOK, NAME, options
from annotation.assistant.locks import alone
from annotation.assistant.looking import SMALL_BYTES, is_large_document, note_columns
from annotation.assistant.reporting import report
from annotation.models import Importing, Study, Upload
from evalapp.work import heartbeats, leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.retries import Clock, Report

# What is written while the researcher waits: about a second.
SMALL_TEXTS = 2_000
EVERY = 1 << 18  # bytes between two signs of progress


class Progress(NamedTuple):
    """How far a worker is with a file."""

    row: Importing
    no_worker: bool

    @property
    def percent(self) -> int:
        """Of reading and storing, which take about as long as each other."""
        return min(100, 100 * self.row.done // max(1, self.row.total))

    @property
    def stores(self) -> bool:
        """Whether everything is read."""
        return self.row.writes and 2 * self.row.done >= self.row.total


def choose(*, upload: Upload, choices: Mapping[str, Any]) -> None:
    """Note what was chosen, and find out what the file is with it.

    Without a `report` afterwards, a worker is at it: see `progress`.

    Raises:
        Busy: See `alone`. Nothing was noted.
    """
    if _is_slow(upload):
        _chosen(upload, choices)
        _ask(upload, writes=False)
        return
    with alone(upload.user):
        _chosen(upload, choices)
        _note(upload, _checked(upload))


def _is_slow(upload: Upload) -> bool:
    """Whether a worker has to read it: it would keep a thread that makes pages."""
    large = upload.size > SMALL_BYTES or LOOK in upload.choices
    return large or is_large_document(upload)


def _chosen(upload: Upload, choices: Mapping[str, Any]) -> None:
    upload.choices = dict(choices)
    upload.report = None
    upload.save(update_fields=["choices", "report"])


def finish(*, upload: Upload) -> Study | None:
    """Import the file; None where a worker has been asked to do it.

    Raises:
        imports.UploadError: With everything that is wrong. Nothing was written.
        Busy: See `alone`.
    """
    texts = (upload.report or {}).get("texts", 0)
    if _is_slow(upload) or texts > SMALL_TEXTS:
        _ask(upload, writes=True)
        return None
    with alone(upload.user):
        return _imported(upload, None, None, lambda study: None)


def progress(*, upload: Upload, now: datetime) -> Progress | None:
    """Of the work that is under way, or has failed; None: there is none."""
    row = Importing.objects.filter(upload=upload).first()
    over = (Importing.State.DONE, Importing.State.CANCELLED)
    if row is None or row.state in over:
        return None
    return Progress(
        row, not row.ended and not heartbeats.alive(now=now, queue=row.queue)
    )


def cancel(*, upload: Upload, now: datetime | None = None) -> None:
    """Stop a worker. The file and what was chosen stay."""
    rows = Importing.objects.filter(upload=upload)
    leases.cancel(rows, now=now or timezone.now())


def _ask(upload: Upload, *, writes: bool) -> None:
    total = 2 * upload.size if writes else upload.size
    with transaction.atomic():
        begun = {**leases.QUEUED, "attempt": 0, "error": "", "started_at": None}
        row, _ = Importing.objects.update_or_create(
            upload=upload,
            defaults={**begun, "writes": writes, "done": 0, "total": total},
        )
        wake_on_commit(Importing, [row.pk])


# A worker's part ----------------------------------------------------------------------


def work(*, importing_id: int, owner: str, clock: Clock = timezone.now) -> None:
    """Check or import the file if that waits. Errors are kept in the row."""
    rows = Importing.objects.select_related("upload__study", "upload__user")
    now = clock()
    row = leases.take(rows, pk=importing_id, owner=owner, now=now, started_at=now)
    if row is not None:
        final = (imports.UploadError, FileNotFoundError)
        retries.attempt(row, partial(_work, clock), clock=clock, final=final)


def _work(clock: Clock, row: Importing) -> None:
    told, size = Report(row, clock), row.upload.size

    def read(done: int) -> None:
        told.renew(done=min(done, size))

    def stored(texts: int) -> None:
        told.renew(done=size + size * texts // max(1, n_texts))

    def fence(study: Study) -> None:
        if not leases.finish(row, now=clock(), done=row.total):
            raise retries.Lost

    told.renew(at_once=True)
    if row.writes:
        n_texts = (row.upload.report or {}).get("texts", 0)
        imports.undo_all_of(row.upload)  # what a worker that died has left behind
        _imported(row.upload, read, stored, fence)
        return
    found = _checked(row.upload, read)
    with transaction.atomic():
        if not leases.finish(row, now=clock(), done=row.total):
            raise retries.Lost
        _note(row.upload, found)


# Both ---------------------------------------------------------------------------------


def _checked(
    upload: Upload, read: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """The report on a file with its present choices."""
    given = options(upload)
    chosen = imports.Options.of(given)
    present = imports.present_in(upload.study) if upload.study else None
    with keeping.opened(upload) as file:
        sheet = imports.check(
            format=FORMAT,
            file=file,
            options=chosen,
            present=present,
            progress=_seldom(read),
        )
    if sheet.opened:  # of a file that no page has looked at, too
        note_columns(upload, sheet.opened)
    imports.ask_about_ids(sheet, upload.study, chosen)
    return report(upload, sheet, chosen)


def _note(upload: Upload, found: dict[str, Any]) -> None:
    upload.report = found
    upload.save(update_fields=["report"])


def _imported(
    upload: Upload,
    read: Callable[[int], None] | None,
    stored: Callable[[int], None] | None,
    fence: Callable[[Study], None],
) -> Study:
    def done(study: Study) -> None:
        fence(study)
        Upload.objects.filter(pk=upload.pk).update(made=study)

    given: dict[str, Any] = {
        "format": FORMAT,
        "file_name": upload.file_name,
        "options": options(upload),
        "progress": _seldom(read),
        "stored": stored,
        "fence": done,
        "upload": upload,
    }
    with keeping.opened(upload) as file:
        if upload.study:
            study, user = upload.study, upload.user
            result = imports.into(study=study, user=user, file=file, **given)
        else:
            name = str(upload.choices.get(NAME, ""))
            result = imports.run(study_name=name, owner=upload.user, file=file, **given)
    keeping.forget_file(upload)
    return result.study


def _seldom(read: Callable[[int], None] | None) -> Callable[[int], None]:
    """Lines are read by the hundred thousand: few of them need a look at the clock."""
    last = -EVERY

    def told(done: int) -> None:
        nonlocal last
        if read and (done - last >= EVERY or done < last):
            last = done
            read(done)

    return told
