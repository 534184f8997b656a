"""What files bring to a study beside texts: a register of who reads which.

Scores belong to `scoring`, choices to `votes`; each says here what it takes. So one
page asks for any file, and no room has to know the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO, NamedTuple

from django.contrib.auth.models import User

from annotation import events
from annotation.imports import files, limits, presets
from annotation.imports._asking import Question
from annotation.imports._problems import Problems, Unreadable, UploadError, shown
from annotation.imports._source import Source
from annotation.models import Import, Study

TEXTS = "texts"  # what `assistant` reads, not one of the register
BETTER = "directions"  # of a question: which way scores are better
SYSTEMS = "systems"  # of a question: whether unknown ones are new
LOOKED_AT = 200  # records in which a program is recognised
LISTED = 12  # systems in a sentence
DIRECTIONS = {
    "higher": "Higher is better",
    "lower": "Lower is better",
    "closeness": "Closer to human texts is better",
}


class Profile(NamedTuple):
    """What a file looks like before anybody has said what it is."""

    file: BinaryIO  # at its start
    file_name: str
    columns: frozenset[str] = frozenset()  # in lower case; empty: it is no table
    preset: str = ""
    first: Sequence[Mapping[str, Any]] = ()  # some cells, by column in lower case

    def has(self, *columns: str) -> bool:
        return self.columns.issuperset(columns)


@dataclass(frozen=True)
class Example:
    """A text of the study, and what the file says of it."""

    key: str
    system: str
    text: str
    output: str
    value: float | None


class Direction(NamedTuple):
    """Which way a score is better: as the file or its name says."""

    output: str
    value: str  # of DIRECTIONS
    allowed: Sequence[str] = tuple(DIRECTIONS)
    by_name: str = ""  # as its name says, where that is known
    is_proposed: bool = False  # the file does not say it


@dataclass(frozen=True)
class Answers:
    """What a person has said about a file."""

    directions: Mapping[str, str] = field(default_factory=dict)  # by output
    agreed: Collection[str] = ()  # codes of questions that are answered with yes


class Added(NamedTuple):
    """What was stored, and where it is shown."""

    sentence: str
    url_name: str
    args: Sequence[str] = ()
    signatures: Sequence[str] = ()  # of scores


@dataclass(frozen=True)
class Brought:
    """What a file would bring. Nothing is stored yet."""

    facts: Sequence[tuple[str, str]]
    store: Callable[[User | None], Added]
    examples: Sequence[Example] = ()
    directions: Sequence[Direction] = ()
    questions: Sequence[Question] = ()  # that somebody has to answer with yes

    def unanswered(self, answers: Answers) -> list[Question]:
        """What nobody has said yet, where no page shows all of it."""
        asked = [one for one in self.questions if one.code not in answers.agreed]
        proposed = {
            one.output: one.value
            for one in self.directions
            if one.is_proposed and one.output not in answers.directions
        }
        if proposed and BETTER not in answers.agreed:
            told = ", ".join(f"{output}: {word}" for output, word in proposed.items())
            sentence = (
                "The file does not say which way these are better. By their names:"
                f" {told}. Is that right?"
            )
            asked.append(Question(BETTER, "", sentence, option="--yes"))
        return asked


@dataclass(frozen=True)
class Intake:
    """A kind of file that is added to a study."""

    key: str
    title: str
    help: str
    is_meant: Callable[[Profile], bool]
    # Raises UploadError, with everything that is wrong.
    read: Callable[[Study, Profile, Answers], Brought]
    # Delete an import of these formats and all that came with it, in a transaction.
    formats: Collection[str]
    remove: Callable[[Import], object]
    row: str = "score"  # what `Import.n_rows` counts, in the singular


INTAKES: dict[str, Intake] = {}


def register(intake: Intake) -> None:
    INTAKES[intake.key] = intake


def get(key: str) -> Intake:
    """Who reads such files.

    Raises:
        UploadError: Nobody does here, or nobody any more.
    """
    if key not in INTAKES:
        raise UploadError(
            [
                f"This site does not read files of the kind {key}: the setting CONTRIB"
                " leaves out what does."
            ]
        )
    return INTAKES[key]


def profile_of(file: BinaryIO, file_name: str) -> Profile:
    """The columns of a file, where it is a table, and the program that wrote it.

    Of a large JSON document by its first records: a worker reads all of it.
    """
    try:
        table = files.opened(Source(_beginning(file), limits(), Problems()))
        first = files.beginning(table.records, LOOKED_AT)
        columns = frozenset(name.strip().lower() for name in table.columns)
        cells = [{n.strip().lower(): v for n, v in r.cells.items()} for r in first]
        preset = presets.recognised(table, first)
        found = Profile(file, file_name, columns, preset, cells)
    except Unreadable:  # whoever is meant says why
        found = Profile(file, file_name)
    file.seek(0)
    return found


def _beginning(file: BinaryIO) -> BinaryIO:
    head, size = file.read(files.HEAD), file.seek(0, SEEK_END)
    file.seek(0)
    if size <= files.SMALL_DOCUMENT or not files.is_document(head):
        return file
    return BytesIO(files.first_records(file.read(files.SMALL_DOCUMENT)))


def kinds_of(profile: Profile) -> list[str]:
    """What the file may be: keys of the register, and TEXTS. Never empty."""
    found = [key for key, one in INTAKES.items() if one.is_meant(profile)]
    ready = presets.PRESETS.get(profile.preset)
    holds_texts = ready is not None and bool(ready.mapping or ready.unfold)
    return [TEXTS, *found] if holds_texts or not found else found


def record_of_intake(
    study: Study,
    key: str,
    options: Mapping[str, Any],
    n_rows: int,
    user: User | None,
) -> Import:
    """Not saved: whoever stores the rows calls `save_record` with the last of them.

    `options` have the name of the file and its "sha256".
    """
    return Import(
        study=study,
        format=key,
        file_name=str(options["file"])[-255:],
        sha256=options["sha256"],
        n_rows=n_rows,
        created_by=user,
    )


def save_record(record: Import, now: datetime) -> None:
    """Note what was added, in the study's log too. With the last of its rows."""
    record.save()
    n, row = record.n_rows, INTAKES[record.format].row
    events.log(
        study=record.study,
        verb="added-scores",
        now=now,
        user=record.created_by,
        about=record.file_name,
        detail=f"{n:,} {row}{'' if n == 1 else 's'}",
    )


def new_systems(study: Study, missing: list[str]) -> list[Question]:
    """Whether names that the study does not know are new systems, or typing errors."""
    if not missing:
        return []
    there = list(study.systems.values_list("name", flat=True))
    has = f"It has {listed(there)}." if there else "It has no systems yet."
    if len(missing) == 1:
        what, asked = "a system", "Is it new, and no typing error?"
    else:
        what, asked = f"{len(missing):,} systems", "Are all new, and no typing errors?"
    sentence = f"The file names {what} that the study does not have: {listed(missing)}."
    return [
        Question(
            SYSTEMS,
            "",
            f"{sentence} {has} {asked}",
            option="--create-systems in import_votes, --yes in import_study",
            is_for_people=True,
        )
    ]


def listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(shown(name) for name in names[:LISTED]) + more
