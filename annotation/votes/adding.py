"""Votes on pairs of systems: a file -> votes of a study, all or nothing.

The texts that were compared need not be in the study: a vote counts for its systems.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import events
from annotation.imports import (
    VOTE_FORMATS,
    Ballot,
    Problems,
    UploadError,
    limits,
    read_votes,
    shown,
    unused,
)
from annotation.models import Import, Study, System, Vote

FORMATS = VOTE_FORMATS
BATCH = 2000
NAMED = 20  # systems of a study that an error lists
# More is a column that was filled in by mistake: each is a ranking, or a row of one.
MOST_QUESTIONS, MOST_NEW_SYSTEMS = 20, 100


@dataclass(frozen=True)
class Added:
    """What a file brought."""

    record: Import
    n_votes: int
    n_pairs: int
    created: list[str]  # systems that the study did not have

    def __str__(self) -> str:
        new = f", and new systems: {', '.join(self.created)}" if self.created else ""
        return f"{_n(self.n_votes, 'vote')} on {_n(self.n_pairs, 'pair')}{new}"


@dataclass(frozen=True)
class Checked:
    """Votes of a file that a study can take. Nothing is stored yet."""

    study: Study
    rows: list[Ballot]
    systems: dict[str, System]
    prompts: list[int]
    missing: list[str]  # systems that the study does not have, which are made
    format: str
    file_name: str
    sha256: str

    def store(
        self, *, user: User | None = None, now: datetime.datetime | None = None
    ) -> Added:
        """Raises UploadError if another upload was faster."""
        record = Import(
            study=self.study,
            format=self.format,
            file_name=self.file_name[-255:],
            sha256=self.sha256,
            options={"created": self.missing},
            n_rows=len(self.rows),
            created_by=user,
        )
        try:
            return _save(
                record, self.rows, self.systems, self.prompts, now or timezone.now()
            )
        except IntegrityError as error:
            sentence = "The study changed while the file was being read. Try again."
            raise UploadError([sentence]) from error


def add(
    *,
    study: Study,
    format: str,
    file: BinaryIO,
    file_name: str,
    create_systems: bool = False,
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> Added:
    """Add the votes of a file to a study, in whatever state it is.

    Args:
        study: Which one.
        format: One of FORMATS.
        file: Of bytes, from its start.
        file_name: As people know it.
        create_systems: Make the systems that the study does not have, as generators.
        user: Who adds it.
        now: When.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    checked = check(
        study=study,
        format=format,
        file=file,
        file_name=file_name,
        create_systems=create_systems,
    )
    return checked.store(user=user, now=now)


def check(
    *,
    study: Study,
    format: str,
    file: BinaryIO,
    file_name: str,
    create_systems: bool = False,
) -> Checked:
    """Read the votes of a file, and compare them with a study.

    Raises:
        UploadError: With everything that is wrong.
    """
    problems = Problems()
    found = read_votes(file, format, limits(), problems)
    systems = {system.name: system for system in study.systems.all()}
    prompts = list(study.prompts.values_list("pk", flat=True))
    missing = _missing(found.rows, systems)
    if not create_systems:
        _say_missing(missing, systems, problems)
    _check_numbers(study, found.rows, missing, problems)
    _check_prompts(found.rows, len(prompts), problems)
    _check_present(study, found.rows, problems)
    problems.raise_if_any()
    return Checked(
        *(study, found.rows, systems, prompts, list(missing)),
        *(format, file_name, found.sha256),
    )


def _save(
    record: Import,
    rows: list[Ballot],
    systems: dict[str, System],
    prompts: list[int],
    now: datetime.datetime,
) -> Added:
    study, created = record.study, record.options["created"]
    with transaction.atomic():
        record.save()
        for name in created:
            systems[name] = System.objects.create(study=study, name=name)
        made = [_vote(record, row, systems, prompts) for row in rows]
        Vote.objects.bulk_create(made, batch_size=BATCH)
        added = Added(record, len(made), len({vote.pair for vote in made}), created)
        events.log(
            study=study,
            verb="added-votes",
            now=now,
            user=record.created_by,
            about=record.file_name,
            detail=str(added),
        )
    return added


def remove(record: Import) -> None:
    """Delete the votes of one file, and the systems that nothing but it brought."""
    study, created = record.study, record.options.get("created", [])
    record.delete()
    unused(study.systems.filter(name__in=created)).delete()


def _missing(rows: list[Ballot], systems: dict[str, System]) -> dict[str, int]:
    """Systems that the study does not have, with the line that names each first."""
    found: dict[str, int] = {}
    for row in rows:
        for name in (row.first, row.second):
            if name not in systems:
                found.setdefault(name, row.line)
    return found


def _say_missing(
    missing: dict[str, int], systems: dict[str, System], problems: Problems
) -> None:
    names = list(systems)[:NAMED]
    more = f" and {len(systems) - NAMED} more" if len(systems) > NAMED else ""
    has = f"it has {', '.join(names)}{more}" if names else "it has none"
    for name, line in missing.items():
        problems.add(f"the study has no system {shown(name)}; {has}", line)


def _check_numbers(
    study: Study, rows: list[Ballot], missing: dict[str, int], problems: Problems
) -> None:
    asked = set(study.votes.order_by().values_list("question", flat=True).distinct())
    questions = len(asked | {row.question for row in rows})
    for n, most, what in (
        (questions, MOST_QUESTIONS, "questions"),
        (len(missing), MOST_NEW_SYSTEMS, "systems that the study does not have"),
    ):
        if n > most:
            problems.add(
                f"The file would give the study {n:,} {what}, but {most} is the"
                " maximum. Check that this column is the right one."
            )


def _check_prompts(rows: list[Ballot], n: int, problems: Problems) -> None:
    for row in rows:
        if row.prompt is not None and row.prompt > n:
            problems.add(
                f"the study has no prompt {row.prompt:,}; its last is {n:,}", row.line
            )


def _check_present(study: Study, rows: list[Ballot], problems: Problems) -> None:
    """A rater votes once on a pair, whatever the number of files."""
    names = ("pair", "question", "first__name", "second__name", "rater")
    present = set(study.votes.exclude(rater="").values_list(*names))
    for row in rows:
        if row.once in present:
            told = f"{shown(row.rater)} already voted on the pair {shown(row.pair)}"
            problems.add(f"duplicate: {told} in an earlier file", row.line)


def _vote(
    record: Import, row: Ballot, systems: dict[str, System], prompts: list[int]
) -> Vote:
    return Vote(
        study=record.study,
        imported=record,
        pair=row.pair,
        prompt_id=None if row.prompt is None else prompts[row.prompt - 1],
        question=row.question,
        first=systems[row.first],
        second=systems[row.second],
        ordered=row.ordered,
        rater=row.rater,
        outcome=row.outcome,
    )


def _n(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
