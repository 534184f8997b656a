"""Check and import a file: a small one at once, a large one by a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet

from annotation import imports
from annotation.assistant import keeping
from annotation.assistant.choices import FORMAT, LOOK, NAME, options
from annotation.assistant.locks import alone
from annotation.assistant.looking import SMALL_BYTES, is_large_document, note_columns
from annotation.assistant.reporting import report
from annotation.models import Importing, Study, Upload
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Report

# What is written while the researcher waits: about a second.
SMALL_TEXTS = 2_000
EVERY = 1 << 18  # bytes between two signs of progress


def choose(*, upload: Upload, choices: Mapping[str, Any]) -> None:
    """Note what was chosen, and find out what the file is with it.

    Without a `report` afterwards, a worker is at it: see `under_way`.

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


def under_way(*, upload: Upload) -> Importing | None:
    """A worker's part that is not done, or has failed; None: there is none."""
    over = (Importing.State.DONE, Importing.State.CANCELLED)
    return Importing.objects.filter(upload=upload).exclude(state__in=over).first()


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


class ImportWork(Work[Importing, Importing]):
    """Check a file, or import it."""

    name = "imports"
    model = Importing
    related = ("upload__study", "upload__user")
    final = (imports.UploadError, FileNotFoundError)
    counted = ("done", "total")
    reset: ClassVar = {"done": 0, "started_at": None}

    def columns(self, now: datetime) -> dict[str, Any]:
        return {"started_at": now}

    def run(self, row: Importing, report: Report) -> None:
        size = row.upload.size

        def read(done: int) -> None:
            report.renew(done=min(done, size))

        def stored(texts: int) -> None:
            report.renew(done=size + size * texts // max(1, n_texts))

        def fence(study: Study | None = None) -> None:
            if not leases.finish(row, now=report.clock(), done=row.total):
                raise retries.Lost

        report.renew(at_once=True)
        if row.writes:
            n_texts = (row.upload.report or {}).get("texts", 0)
            imports.undo_all_of(row.upload)  # what a worker that died has left behind
            _imported(row.upload, read, stored, fence)
            return
        checked = _checked(row.upload, read)
        with transaction.atomic():
            fence()
            _note(row.upload, checked)

    def words(self, job: Importing) -> str:
        return f"{'Importing' if job.writes else 'Checking'} {job.upload}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Importing]:
        """Whoever brings a file alone sees it, as its page."""
        own = Importing.objects.filter(upload__study=study, upload__user=user)
        return own.select_related("upload")

    def stores(self, job: Importing) -> bool:
        """Whether everything is read."""
        return job.writes and 2 * job.done >= job.total


IMPORTS = ImportWork()


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
