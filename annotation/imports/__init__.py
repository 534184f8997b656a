"""Files of texts, ratings and mean scores -> a study, all or nothing.

`run` makes a new study of a file, `into` adds a file to one. Each public file of
this folder is a format and says in its docstring what it takes: dropping one in adds a
format. `columns` is the one for tables with names of their own: `files/` opens them,
`presets/` knows files that many people have. Files are read in bounded memory, and
checked whole before anything is written; everything that is wrong is said at once.
`assistant/` leads a researcher through it in the browser.
"""

from __future__ import annotations

import datetime
import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import studies
from annotation.imports import _curtain, _reading, _storing, _writing
from annotation.imports._account import Entry, entry_of, not_used, total
from annotation.imports._any_table import any_table
from annotation.imports._asking import Asked, Question
from annotation.imports._brought import unused
from annotation.imports._cells import is_missing, number, whole, without_fraction
from annotation.imports._checks import Present
from annotation.imports._curtain import removing, tidy, undo_all_of
from annotation.imports._drafting import ACCOUNT, draft, record_of
from annotation.imports._encodings import ENCODINGS, Encoding
from annotation.imports._ids import INVENTED, Ids, ids_of
from annotation.imports._joining import ask_about_ids
from annotation.imports._keys import natural
from annotation.imports._mapping import NAMED, ROLES
from annotation.imports._names import IGNORE
from annotation.imports._objects import objects
from annotation.imports._opening import Opened, opened
from annotation.imports._problems import (
    Cause,
    Problems,
    Unreadable,
    UploadError,
    shown,
)
from annotation.imports._reading import Progress
from annotation.imports._refusing import (
    refuse_ratings_unless_draft,
    refuse_unless_open_to_texts,
)
from annotation.imports._results import ImportResult, no_output, respelled
from annotation.imports._rows import AUTO, Format, Options, OptionsError, Row
from annotation.imports._sheet import Counts, Sheet
from annotation.imports._source import Limits, Source
from annotation.imports._storing import scores_came
from annotation.imports._tables import table
from annotation.imports._votes import VOTE_FORMATS, Ballot, read_votes, vote_format_of
from annotation.imports._writing import present_in
from annotation.imports.files import HEAD, SMALL_DOCUMENT, TITLES, is_document
from annotation.imports.presets import PRESETS
from annotation.models import Import, Study, Upload

__all__ = [
    "ACCOUNT",
    "AUTO",
    "Asked",
    "ENCODINGS",
    "FORMATS",
    "HEAD",
    "IGNORE",
    "INVENTED",
    "NAMED",
    "PRESETS",
    "ROLES",
    "SMALL_DOCUMENT",
    "TITLES",
    "VOTE_FORMATS",
    "Ballot",
    "Cause",
    "Counts",
    "Encoding",
    "Entry",
    "Format",
    "Ids",
    "ImportResult",
    "Limits",
    "Opened",
    "Options",
    "Problems",
    "Question",
    "Row",
    "Sheet",
    "Source",
    "Unreadable",
    "UploadError",
    "any_table",
    "ask_about_ids",
    "check",
    "entry_of",
    "ids_of",
    "into",
    "is_document",
    "is_missing",
    "limits",
    "natural",
    "no_output",
    "not_used",
    "number",
    "objects",
    "opened",
    "present_in",
    "read",
    "read_votes",
    "removing",
    "respelled",
    "run",
    "scores_came",
    "shown",
    "table",
    "tidy",
    "total",
    "undo_all_of",
    "unused",
    "vote_format_of",
    "whole",
    "without_fraction",
]

Wanted = Mapping[str, Any] | Options | None


def _formats() -> dict[str, Format]:
    modules = pkgutil.iter_modules(__path__)
    found = sorted(module.name for module in modules if not module.ispkg)
    return {
        name: importlib.import_module(f"{__name__}.{name}").FORMAT
        for name in found
        if not name.startswith("_")
    }


FORMATS: dict[str, Format] = _formats()


def run(
    *,
    study_name: str,
    format: str,
    file: BinaryIO,
    file_name: str,
    owner: User | None,
    options: Wanted = None,
    now: datetime.datetime | None = None,
    progress: Progress | None = None,
    stored: _storing.Stored | None = None,
    fence: _storing.Fence | None = None,
    upload: Upload | None = None,
) -> ImportResult:
    """Make a study of a file, with the aspects that it has values for.

    Args:
        study_name: A new name.
        format: One of `FORMATS`.
        file: What is read.
        file_name: As people call it.
        owner: Whose study it is; None: staff's.
        options: See `Options`.
        now: When.
        progress: Is told how many bytes are read.
        stored: Is told how many texts are stored, and may end it.
        fence: Is called with the study in the last transaction, and may end it.
        upload: The kept file, where there is one: see `undo_all_of`.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
        Asked: If the file can be read in two ways.
    """
    problems = Problems()
    tidy(now=timezone.now(), name=study_name)
    try:
        studies.check_name(study_name)
    except studies.StudyError as error:
        problems.add(str(error))
    chosen = _options(options, format)
    present = Present(chosen.scale_range())
    sheet = check(
        format=format,
        file=file,
        options=chosen,
        present=present,
        problems=problems,
        progress=progress,
    )
    _refuse(sheet, chosen)
    made = draft(study_name, format, owner, sheet, chosen)
    record = record_of(made.study, format, sheet, file_name, chosen, owner)
    plan = _plan(made.study, record, made.aspects, sheet)
    try:
        with transaction.atomic():
            made.save()
            row = _curtain.begin(record=record, makes_study=True, upload=upload)
    except IntegrityError as error:  # another process was faster
        raise UploadError([studies.taken(study_name)]) from error
    return _storing.store(row, plan, sheet, now=now, stored=stored, fence=fence)


def into(
    *,
    study: Study,
    format: str,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    options: Wanted = None,
    now: datetime.datetime | None = None,
    progress: Progress | None = None,
    stored: _storing.Stored | None = None,
    fence: _storing.Fence | None = None,
    upload: Upload | None = None,
) -> ImportResult:
    """Add a file to a study, whose labels and aspects the file must keep to.

    A study without labels takes any. Of the options those of a new study do not
    count. To a paused study only texts can be added: they get surveys of their own.

    Raises:
        UploadError: As in `run`; also if texts cannot be added any more.
        Asked: As in `run`.
    """
    tidy(now=timezone.now(), name=study.name)
    refuse_unless_open_to_texts(study)
    chosen, before = _options(options, format), study.imports.count()
    sheet = check(
        format=format,
        file=file,
        options=chosen,
        present=present_in(study),
        problems=Problems(),
        progress=progress,
    )
    ask_about_ids(sheet, study, chosen)
    _refuse(sheet, chosen)
    record = record_of(study, format, sheet, file_name, chosen, user)
    plan = _plan(study, record, study.aspects.all(), sheet)
    try:
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            refuse_unless_open_to_texts(locked)
            refuse_ratings_unless_draft(locked, sheet)
            if locked.imports.count() != before:
                raise IntegrityError("another import was faster")
            row = _curtain.begin(record=record, makes_study=False, upload=upload)
    except IntegrityError as error:
        sentence = "The study was changed while the file was read: try again."
        raise UploadError([sentence]) from error
    return _storing.store(row, plan, sheet, now=now, stored=stored, fence=fence)


def read(
    *,
    format: str,
    file: BinaryIO,
    options: Wanted = None,
    present: Present | None = None,
) -> Sheet:
    """Check a file and return its rows. Touches no database.

    Raises:
        UploadError: With everything that is wrong.
    """
    chosen = _options(options, format)
    present = present or Present(chosen.scale_range())
    sheet = check(
        format=format, file=file, options=chosen, present=present, problems=Problems()
    )
    sheet.problems.raise_if_any(but_lines=chosen.leave_out)
    return sheet


def check(
    *,
    format: str,
    file: BinaryIO,
    options: Wanted = None,
    present: Present | None = None,
    problems: Problems | None = None,
    progress: Progress | None = None,
) -> Sheet:
    """Read a file and keep the rows that are right; `problems` says what is not."""
    chosen = _options(options, format)
    return _reading.check(
        format=FORMATS[format],
        file=file,
        options=chosen,
        limits=limits(),
        present=present or Present(chosen.scale_range()),
        problems=Problems() if problems is None else problems,
        progress=progress,
    )


def _refuse(sheet: Sheet, chosen: Options) -> None:
    """What is wrong, all at once; else what nobody has answered yet."""
    sheet.problems.raise_if_any(but_lines=chosen.leave_out)
    if sheet.questions:
        raise Asked(sheet.questions)


def limits() -> Limits:
    return Limits(
        bytes=settings.UPLOAD_MAX_BYTES,
        rows=settings.UPLOAD_MAX_ROWS,
        characters=settings.UPLOAD_MAX_CHARACTERS,
        seconds=settings.READING_MAX_SECONDS,
        memory=settings.READING_MAX_BYTES,
    )


def _options(asked: Wanted, format: str) -> Options:
    if format not in FORMATS:
        raise UploadError(
            [f"No format {shown(format)}: there are {', '.join(FORMATS)}."]
        )
    try:
        chosen = Options.of(asked)
    except OptionsError as error:
        raise UploadError([str(error)]) from error
    if chosen.systems and not FORMATS[format].tells_systems_by_order:
        raise UploadError(
            [f"In the format {format} the file names the systems itself."]
        )
    return chosen


def _plan(study: Study, record: Import, aspects: Any, sheet: Sheet) -> _writing.Plan:
    ready, format = PRESETS.get(sheet.preset), FORMATS[record.format]
    return _writing.plan_for(
        study,
        record,
        aspects,
        verbalizers=ready.verbalizers if ready else format.verbalizers,
        people=ready.people if ready else (),
    )
