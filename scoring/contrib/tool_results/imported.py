"""Results of other evaluation tools, as they wrote them: scores beside ours.

`readers` read the files, `matching` finds the texts that are meant. Each metric
with its judge becomes one finished run, as uploaded tables do; numbers of whole systems
become runs of systems. A file comes in whole or not at all.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation import storable
from annotation.imports import Ids, Problems, UploadError, shown
from annotation.imports import limits as upload_limits
from annotation.imports.intakes import Direction, record_of_intake, save_record
from annotation.models import Study
from scoring.contrib.tool_results import readers
from scoring.contrib.tool_results.matching import Texts
from scoring.contrib.tool_results.readers import Found, Sample
from scoring.metrics import output_key
from scoring.models import MetricRun
from scoring.runs import pairs, uploaded, uploaded_systems
from scoring.runs.intakes import RESULTS
from scoring.runs.score_lines import Line, Made, direction_of

BLOCK = 1 << 20  # bytes
LONGEST = 64  # characters of a metric's name
LONGEST_PLACE = 100  # characters that say where a score stands


@dataclass(frozen=True)
class Checked:
    """Results that fit a study. Nothing is stored yet."""

    study: Study
    tool: str
    lines: list[Line]  # of texts
    totals: list[uploaded_systems.Line]  # of whole systems
    ids: dict[str, int]  # of the study's texts, by key
    options: dict[str, str]

    def directions(self) -> list[Direction]:
        found = {line.output: line.direction for line in self.lines}
        of_texts = [Direction(output, word) for output, word in found.items()]
        of_systems = uploaded_systems.directions_of(self.totals)
        return [*of_texts, *(one for one in of_systems if one.output not in found)]

    def turn(self, directions: Mapping[str, str]) -> None:
        uploaded.turn(self.lines, directions)
        uploaded_systems.turn(self.totals, directions)

    def pairs(self) -> list[pairs.Pair]:
        """Three texts with their scores, to be looked at."""
        return pairs.pairs(self.lines, Ids(self.ids))

    def new_systems(self) -> list[str]:
        of_systems = uploaded_systems.Checked(self.study, self.totals, self.options)
        return of_systems.new_systems()

    def store(
        self, *, user: User | None = None, now: datetime.datetime | None = None
    ) -> list[MetricRun]:
        n = len(self.lines) + len(self.totals)
        record = record_of_intake(self.study, RESULTS, self.options, n, user)
        record.options = {uploaded_systems.CREATED: self.new_systems()}
        given: dict[str, Any] = {
            "study": self.study,
            "options": self.options,
            "user": user,
            "now": now,
            "record": record,
        }
        ended = uploaded.stored(lines=self.lines, ids=self.ids, **given)
        with transaction.atomic():
            save_record(record, now or timezone.now())
            runs = [end() for end in ended]
            return [*runs, *uploaded_systems.store(lines=self.totals, **given)]


def read(*, study: Study, file: BinaryIO, file_name: str) -> Checked:
    """Find the texts and systems that the results of a tool are about.

    Raises:
        UploadError: With everything that is wrong.
    """
    options = {"file": file_name[-255:], "sha256": _sha256(file)}
    found = readers.read(file, file_name, upload_limits())
    problems, texts = Problems(), Texts(study)
    lines = _lines(found, texts, problems)
    totals = _totals(found, problems)
    if not lines and not totals and not problems:
        problems.add("The file has no scores.")
    problems.raise_if_any()
    return Checked(study, found.tool, lines, totals, texts.ids, options)


def add(
    *,
    study: Study,
    file: BinaryIO,
    file_name: str,
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> list[MetricRun]:
    """Add the results in a file to a study: a finished run for each way of scoring.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    checked = read(study=study, file=file, file_name=file_name)
    return checked.store(user=user, now=now)


def _sha256(file: BinaryIO) -> str:
    digest, most = hashlib.sha256(), upload_limits().bytes
    while block := file.read(BLOCK):
        most -= len(block)
        if most < 0:
            size = f"{upload_limits().bytes / 2**20:.10g} MB"
            raise UploadError([f"The file is larger than {size}, the limit."])
        digest.update(block)
    file.seek(0)
    return digest.hexdigest()


def _lines(found: Found, texts: Texts, problems: Problems) -> list[Line]:
    """The scores by the keys of the study's texts."""
    matched = dict(_matched(found, texts, problems))
    lines: list[Line] = []
    first: dict[tuple[Made, str, str], Sample] = {}
    for one in found.scored:
        if one.sample not in matched:
            continue
        key = matched[one.sample]
        made = Made(_metric(found, one.metric), one.signature)
        output = output_key(one.output)
        place = made, key, output
        if before := first.get(place):
            twice = (
                f"there twice: rename one of the scores that are called {output}"
                if before is one.sample
                else f"also in {_at(before)}"
            )
            problems.add(f"{_at(one.sample)}: {output} of the text {key} is {twice}")
        first[place] = before or one.sample
        direction = _direction(one.metric, one.lower_is_better)
        line = Line(0, made, key, output, one.value, direction, one.reason)
        lines.append(line)
    return lines


def _at(sample: Sample) -> str:
    """Short, and with what a page can show: the file says part of it."""
    words = " ".join(storable.cleaned(sample.at[: 4 * LONGEST_PLACE]).split())
    return words[:LONGEST_PLACE]


def _matched(
    found: Found, texts: Texts, problems: Problems
) -> Iterator[tuple[Sample, str]]:
    for sample in dict.fromkeys(one.sample for one in found.scored):
        match = texts.find(sample)
        if match.text is None:
            problems.add(f"{_at(sample)}: {match.problem}")
        else:
            yield sample, texts.key(match.text)


def _totals(found: Found, problems: Problems) -> list[uploaded_systems.Line]:
    lines: list[uploaded_systems.Line] = []
    seen: set[tuple[str, str, str, str]] = set()
    for one in found.totals:
        metric, system = _metric(found, one.metric), one.system.strip()
        if said := uploaded_systems.problem_of_name(system):
            problems.add(said)
        output = output_key(one.output)
        place = (metric, one.signature, output, system)
        if place in seen:
            problems.add(f"{output} of {shown(system)} appears twice")
        seen.add(place)
        lines.append(
            uploaded_systems.Line(
                line=0,
                metric=metric,
                system=system,
                output=output,
                value=one.value,
                higher_is_better=not _lower(one.metric, one.lower_is_better),
                interval=one.interval,
                signature=one.signature,
                reason=one.reason,
            )
        )
    uploaded_systems.refuse_many(lines, problems)
    return lines


def _metric(found: Found, metric: str) -> str:
    """With the tool's name: theirs may have the name of one of ours."""
    return f"{found.tool}:{metric}"[:LONGEST]


def _lower(metric: str, lower_is_better: bool | None) -> bool:
    return _direction(metric, lower_is_better) == "lower"


def _direction(metric: str, lower_is_better: bool | None) -> str:
    if lower_is_better is None:
        return direction_of(metric)
    return "lower" if lower_is_better else "higher"
