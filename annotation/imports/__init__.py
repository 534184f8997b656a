"""Files of texts, ratings and mean scores -> a study, all or nothing.

`run` makes a new study of a file, `into` adds a file to one. Each public file of
this folder is a format and says in its docstring what it takes: dropping one in adds a
format. Files are read once, in bounded memory, and checked whole before anything is
written; everything that is wrong is said at once, with line numbers.
"""

from __future__ import annotations

import datetime
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import studies
from annotation.imports import _reading, _writing
from annotation.imports._cells import number
from annotation.imports._checks import Present
from annotation.imports._objects import objects
from annotation.imports._problems import Problems, Unreadable, UploadError, shown
from annotation.imports._rows import Format, Options, OptionsError, Row, Sheet
from annotation.imports._source import Limits, Source
from annotation.imports._tables import table
from annotation.imports._votes import VOTE_FORMATS, Ballot, read_votes
from annotation.models import Import, Study

__all__ = [
    "FORMATS",
    "VOTE_FORMATS",
    "Ballot",
    "Format",
    "ImportResult",
    "Limits",
    "Options",
    "Problems",
    "Row",
    "Sheet",
    "Source",
    "Unreadable",
    "UploadError",
    "into",
    "limits",
    "number",
    "objects",
    "read",
    "read_votes",
    "run",
    "shown",
    "table",
]

Asked = Mapping[str, Any] | Options | None


def _formats() -> dict[str, Format]:
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {
        name: importlib.import_module(f"{__name__}.{name}").FORMAT
        for name in found
        if not name.startswith("_")
    }


FORMATS: dict[str, Format] = _formats()


@dataclass(frozen=True)
class ImportResult:
    """What came into a study."""

    study: Study
    record: Import
    n_texts: int
    n_systems: int
    n_prompts: int
    n_ratings: int
    n_means: int

    def __str__(self) -> str:
        systems = f"{self.n_systems} systems" if self.n_systems else "unknown systems"
        values = ((self.n_ratings, "ratings"), (self.n_means, "mean scores"))
        human = " and ".join(f"{n} {what}" for n, what in values if n)
        return (
            f"{self.study.name}: {self.n_texts} texts of {systems} for "
            f"{self.n_prompts} prompts, {human or 'no ratings'}."
        )


def run(
    *,
    study_name: str,
    format: str,
    file: BinaryIO,
    file_name: str,
    owner: User | None,
    options: Asked = None,
    now: datetime.datetime | None = None,
) -> ImportResult:
    """Make a study of a file. Its aspects are those that the file has values for.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    problems = Problems()
    try:
        studies.check_name(study_name)
    except studies.StudyError as error:
        problems.add(str(error))
    chosen = _options(options, format)
    sheet = _read(format, file, chosen, Present(chosen.scale_range()), problems)
    scale = chosen.scale_range()
    try:
        draft = studies.draft(
            name=study_name,
            owner=owner,
            aspects=sheet.aspects() or None,
            title=chosen.title,
            ratings_per_text=chosen.ratings_per_text,
            scale_min=scale[0],
            scale_max=scale[-1],
        )
    except studies.StudyError as error:
        raise UploadError([str(error)]) from error
    record = _record(draft.study, format, sheet, file_name, chosen, owner)
    plan = _writing.plan_for(draft.study, record, draft.aspects)
    _fill(plan, sheet, now)
    try:
        with transaction.atomic():
            draft.save()
            plan.save()
    except IntegrityError as error:  # another process was faster
        raise UploadError([studies.taken(study_name)]) from error
    return _result(plan, sheet)


def into(
    *,
    study: Study,
    format: str,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    options: Asked = None,
    now: datetime.datetime | None = None,
) -> ImportResult:
    """Add a file to a study, whose labels and aspects the file must keep to.

    A study without labels takes any. Of the options only `systems` and `cut` count. To
    a paused study only texts can be added: they get surveys of their own.

    Raises:
        UploadError: As in `run`; also if texts cannot be added any more.
    """
    _refuse_unless_open_to_texts(study)
    chosen, before = _options(options, format), study.imports.count()
    sheet = _read(format, file, chosen, _writing.present_in(study), Problems())
    record = _record(study, format, sheet, file_name, chosen, user)
    plan = _writing.plan_for(study, record, study.aspects.all())
    _fill(plan, sheet, now)
    try:
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            _refuse_unless_open_to_texts(locked)
            _refuse_ratings_unless_draft(locked, plan)
            if locked.imports.count() != before:
                raise IntegrityError("another import was faster")
            plan.save()
    except IntegrityError as error:
        sentence = "The study was changed while the file was read: try again."
        raise UploadError([sentence]) from error
    return _result(plan, sheet)


def read(
    *,
    format: str,
    file: BinaryIO,
    options: Asked = None,
    present: Present | None = None,
) -> Sheet:
    """Check a file and return its rows. Touches no database.

    Raises:
        UploadError: With everything that is wrong.
    """
    chosen = _options(options, format)
    present = present or Present(chosen.scale_range())
    return _read(format, file, chosen, present, Problems())


def limits() -> Limits:
    return Limits(
        bytes=settings.UPLOAD_MAX_BYTES,
        rows=settings.UPLOAD_MAX_ROWS,
        characters=settings.UPLOAD_MAX_CHARACTERS,
    )


def _options(asked: Asked, format: str) -> Options:
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


def _read(
    format: str,
    file: BinaryIO,
    options: Options,
    present: Present,
    problems: Problems,
) -> Sheet:
    sheet = _reading.check(
        format=FORMATS[format],
        file=file,
        options=options,
        limits=limits(),
        present=present,
        problems=problems,
    )
    problems.raise_if_any()
    return sheet


def _record(
    study: Study,
    format: str,
    sheet: Sheet,
    file_name: str,
    options: Options,
    user: User | None,
) -> Import:
    return Import(
        study=study,
        format=format,
        file_name=file_name[-255:],
        sha256=sheet.sha256,
        options=asdict(options),
        n_rows=len(sheet.rows),
        created_by=user,
    )


def _fill(plan: _writing.Plan, sheet: Sheet, now: datetime.datetime | None) -> None:
    words = FORMATS[plan.record.format].verbalizers
    _writing.fill(plan, sheet.rows, verbalizers=words, now=now or timezone.now())


def _refuse_unless_open_to_texts(study: Study) -> None:
    if study.state == Study.State.PAUSED:
        return
    if study.state != Study.State.DRAFT:
        raise UploadError(
            [
                f"{study} is {study.state}: texts can be added to a draft only, or "
                "while a study is paused."
            ]
        )
    if study.surveys.exists():
        raise UploadError(
            [f"The surveys of {study} are drawn already: texts cannot be added."]
        )


def _refuse_ratings_unless_draft(study: Study, plan: _writing.Plan) -> None:
    if study.state != Study.State.DRAFT and (plan.annotations or plan.means):
        raise UploadError(
            [
                f"{study} is {study.state}: workers rate its texts, so a file with "
                "ratings cannot be added. Leave its ratings out, or make a new study."
            ]
        )


def _result(plan: _writing.Plan, sheet: Sheet) -> ImportResult:
    return ImportResult(
        study=plan.study,
        record=plan.record,
        n_texts=len(sheet.rows),
        n_systems=len({row.system for row in sheet.rows if row.system}),
        n_prompts=len({row.prompt for row in sheet.rows}),
        n_ratings=len(plan.annotations),
        n_means=len(plan.means),
    )
