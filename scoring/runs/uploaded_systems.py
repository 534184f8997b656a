"""Numbers of whole systems from elsewhere, as a csv file: a published table, as it is.

Columns:

    system       the system's name; the study gets the systems that it does not have
    name         what the number is: mauve, human_like
    value        the number; empty: there is none for this system
    direction    optional: higher or lower (which is better); empty: as its name says
    metric       optional: people, for human scores and strengths; else the name of the
                 metric; empty: uploaded
    low, high    optional: ends of the number's interval, shown beside it

The numbers of people become one finished run, and those of each metric another. The
page of people's run says how every metric of systems correlates with them.
"""

from __future__ import annotations

import contextlib
import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation import storable
from annotation.imports import (
    Problems,
    Source,
    Unreadable,
    UploadError,
    any_table,
    shown,
)
from annotation.imports import limits as upload_limits
from annotation.imports import number as number_of
from annotation.imports.intakes import Direction, record_of_intake, save_record
from annotation.models import Import, Study, System
from scoring import metrics
from scoring.drawing.words import capitalized
from scoring.metrics import Output, output_key
from scoring.models import Chunk, MetricRun, Signature, SystemScore
from scoring.runs.score_lines import (
    DIRECTION,
    LARGEST,
    MOST_OUTPUTS,
    NAME,
    WORD,
    direction_of,
)
from scoring.runs.uploaded import UNDEFINED, is_there

INTAKE = "systems"  # of the register, and format of an import
CREATED = "created"  # of Import.options: systems that the study did not have
PEOPLE = "people"  # in place of a metric: human scores and strengths
DIRECTIONS = {"higher": True, "lower": False}
REQUIRED = ("system", "name", "value")
COLUMNS = (*REQUIRED, "direction", "metric", "low", "high")
MOST_SYSTEMS = 200
LONGEST_SYSTEM = 100  # characters of a name
INTERVALS = "intervals"  # in the details: by output and system


@dataclass(slots=True)
class Line:
    line: int
    metric: str
    system: str
    output: str
    value: float | None
    higher_is_better: bool
    interval: tuple[float, float] | None
    signature: str = ""  # how it was made, where the file says so
    is_proposed: bool = False  # its direction, as the file has none
    is_turned: bool = False  # people have said another direction than the file
    reason: str = ""  # why there is no value, likewise


@dataclass(frozen=True)
class Checked:
    """Numbers of a file that fit together. Nothing is stored yet."""

    study: Study
    lines: list[Line]
    options: dict[str, str]

    def directions(self) -> list[Direction]:
        return directions_of(self.lines)

    def new_systems(self) -> list[str]:
        """Names that the study does not know."""
        there = set(self.study.systems.values_list("name", flat=True))
        names = dict.fromkeys(line.system for line in self.lines)
        return [name for name in names if name not in there]

    def store(
        self, *, user: User | None = None, now: datetime.datetime | None = None
    ) -> list[MetricRun]:
        n, made = len(self.lines), self.new_systems()
        record = record_of_intake(self.study, INTAKE, self.options, n, user)
        record.options = {CREATED: made}
        with transaction.atomic():
            save_record(record, now or timezone.now())
            return store(
                study=self.study,
                lines=self.lines,
                options=self.options,
                user=user,
                now=now,
                record=record,
            )


def directions_of(lines: Iterable[Line]) -> list[Direction]:
    """Which way each kind of number is better, as the file or its name says."""
    found = {line.output: line for line in lines}
    return [
        Direction(
            output,
            "higher" if line.higher_is_better else "lower",
            ("higher", "lower"),
            is_proposed=line.is_proposed,
        )
        for output, line in found.items()
    ]


def turn(lines: Iterable[Line], directions: Mapping[str, str]) -> None:
    """Note where people say that a number is better the other way."""
    for line in lines:
        better = DIRECTIONS.get(directions.get(line.output, ""), line.higher_is_better)
        if better != line.higher_is_better and line.output in directions:
            line.higher_is_better, line.is_turned = better, True


def read(*, study: Study, file: BinaryIO, file_name: str) -> Checked:
    """Check a file with numbers of systems.

    Raises:
        UploadError: With everything that is wrong.
    """
    problems = Problems()
    source = Source(file, upload_limits(), problems)
    lines = _read(source, problems)
    _check(lines, problems)
    problems.raise_if_any()
    return Checked(study, lines, {"file": file_name[-255:], "sha256": source.sha256})


def add(
    *,
    study: Study,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> list[MetricRun]:
    """Add the numbers of a file to a study: one finished run for people, one a metric.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    checked = read(study=study, file=file, file_name=file_name)
    return checked.store(user=user, now=now)


def store(
    *,
    study: Study,
    lines: list[Line],
    options: dict[str, str],
    user: User | None = None,
    now: datetime.datetime | None = None,
    record: Import | None = None,
) -> list[MetricRun]:
    """Make runs of numbers that were checked, all or none.

    `options` have the name of the file and its "sha256", which is in all signatures.
    """
    groups: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.metric, line.signature].append(line)
    with transaction.atomic():
        systems = _systems(study, lines)
        return [
            _save(study, group, systems, options, user, now or timezone.now(), record)
            for group in groups.values()
        ]


def _read(source: Source, problems: Problems) -> list[Line]:
    records = any_table(
        source,
        problems,
        required=REQUIRED,
        vital=REQUIRED,
        known=COLUMNS.__contains__,
        names=", ".join(COLUMNS),
    )
    lines: list[Line] = []
    with contextlib.suppress(Unreadable):  # noted already
        for number, cells in records:
            if len(lines) == source.limits.rows:
                problems.add(f"The file has more than {len(lines):,} rows: split it.")
                break
            lines.append(_line(number, cells, problems))
    if not lines and not problems:
        problems.add("The file has no numbers.")
    return lines


def _line(number: int, cells: dict[str, str], problems: Problems) -> Line:
    cells = {name: cell.strip() for name, cell in cells.items()}
    numbers: dict[str, float | None] = {}
    for name in ("value", "low", "high"):
        numbers[name] = found = number_of(cells.get(name, ""))
        if cells.get(name) and (found is None or abs(found) > LARGEST):
            told = f"a number up to {LARGEST:g} or empty, not {shown(cells[name])}"
            problems.add(f"{name} must be {told}", number)
    output = output_key(cells["name"])
    said = cells.get("direction", "").lower()
    direction = said or direction_of(output)
    if direction not in DIRECTIONS:
        problems.add(
            f"direction must be higher or lower, not {shown(direction)}", number
        )
    low, high = numbers["low"], numbers["high"]
    if (low is None) != (high is None) or (
        low is not None and high is not None and low > high
    ):
        problems.add("low and high must both be there, low first, or neither", number)
    return Line(
        line=number,
        metric=cells.get("metric") or NAME,
        system=cells["system"],
        output=output,
        value=numbers["value"],
        higher_is_better=DIRECTIONS.get(direction, True),
        is_proposed=not said,
        interval=None if low is None or high is None else (low, high),
    )


def _check(lines: list[Line], problems: Problems) -> None:
    ours = set(metrics.names())
    first: dict[tuple[str, str, str], int] = {}
    directions: dict[tuple[str, str], Line] = {}
    for line in lines:
        if said := problem_of_name(line.system):
            problems.add(said, line.line)
        for column, word in (("name", line.output), ("metric", line.metric)):
            if not WORD.fullmatch(word):
                told = "must be up to 64 letters, digits, _ . : + -"
                problems.add(f"{column} {shown(word)} {told}", line.line)
        if line.metric in ours:
            told = "is computed by EvalApp: use another name"
            problems.add(f"metric {shown(line.metric)} {told}", line.line)
        key = (line.metric, line.output, line.system)
        if (before := first.setdefault(key, line.line)) != line.line:
            told = f"{shown(line.output)} of {shown(line.system)}"
            problems.add(f"duplicate: {told} is also on line {before}", line.line)
        other = directions.setdefault((line.metric, line.output), line)
        if other.higher_is_better != line.higher_is_better:
            told = f"is another one than on line {other.line}"
            problems.add(f"direction of {shown(line.output)} {told}", line.line)
    if (n := len(directions)) > MOST_OUTPUTS:
        told = f"The most it may have is {MOST_OUTPUTS}."
        problems.add(f"The file has {n:,} kinds of numbers. {told}")
    refuse_many(lines, problems)


def problem_of_name(system: str) -> str | None:
    """Why a system cannot have this name; None if it can."""
    if not system or len(system) > LONGEST_SYSTEM:
        return f"the name of a system has 1 to {LONGEST_SYSTEM} characters"
    said = storable.problem(system)
    return f"the name {shown(system)} of a system {said}" if said else None


def refuse_many(lines: list[Line], problems: Problems) -> None:
    if (n := len({line.system for line in lines})) > MOST_SYSTEMS:
        told = f"The most it may have is {MOST_SYSTEMS}."
        problems.add(f"The file has {n:,} systems. {told}")


def _systems(study: Study, lines: list[Line]) -> dict[str, System]:
    """By name; those that the study lacks are made."""
    found = {system.name: system for system in study.systems.all()}
    names = dict.fromkeys(line.system for line in lines if line.system not in found)
    made = System.objects.bulk_create(System(study=study, name=name) for name in names)
    return found | {system.name: system for system in made}


def _save(
    study: Study,
    lines: list[Line],
    systems: dict[str, System],
    options: dict[str, str],
    user: User | None,
    now: datetime.datetime,
    record: Import | None,
) -> MetricRun:
    signature = _signature(lines, options["sha256"])
    if is_there(study, signature):
        raise UploadError([f"The study already has these numbers: {signature.text}"])
    SystemScore.objects.bulk_create(
        [
            SystemScore(
                signature=signature,
                system=systems[line.system],
                output=line.output,
                value=line.value,
                reason="" if line.value is not None else line.reason or UNDEFINED,
            )
            for line in lines
        ],
        update_conflicts=True,  # of a run that was deleted: its numbers stay
        unique_fields=SystemScore.KEY,
        update_fields=["value", "reason"],
    )
    run = MetricRun.objects.create(
        study=study,
        metric=signature.metric,
        options=options,
        imported=record,
        signature=signature,
        state=MetricRun.State.DONE,
        created_by=user,
        started_at=now,
        finished_at=now,
    )
    intervals: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for line in lines:
        if line.interval:
            intervals[line.output][line.system] = line.interval
    # Of no system: the numbers say nothing of the texts that are here, nor grow old.
    Chunk.objects.create(
        run=run,
        index=0,
        generations=[],
        state=Chunk.State.DONE,
        finished_at=now,
        details={INTERVALS: intervals} if intervals else {},
    )
    return run


def _signature(lines: list[Line], sha256: str) -> Signature:
    metric = lines[0].metric
    parts = [NAME, *([metric] if metric != NAME else []), lines[0].signature]
    turned = {line.output: line.higher_is_better for line in lines if line.is_turned}
    for output, better in turned.items():
        parts.append(f"{DIRECTION}{output}={'higher' if better else 'lower'}")
    said = filter(None, [*parts, "systems"])
    text = "|".join([*said, f"file:sha256:{sha256[:16]}"])
    outputs = {line.output: line.higher_is_better for line in lines}
    made, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(text),
        defaults={
            "text": text,
            "metric": metric,
            "outputs": [
                asdict(
                    Output(
                        key=key,
                        title=capitalized(key.replace("_", " ")),
                        unit="as uploaded",
                        higher_is_better=better,
                    )
                )
                for key, better in outputs.items()
            ],
        },
    )
    return made
