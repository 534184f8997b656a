"""Marks of metrics, from files: which text of the study each belongs to."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from django.db import transaction

from annotation.imports import Problems, Source, Unreadable, UploadError, files, limits
from annotation.models import Generation, Study
from scoring.models import MetricReading
from scoring.stats.spans.files import esa, sentences, wmt_mqm, xcomet
from scoring.stats.spans.files.segments import Read, Refusal, Segment
from scoring.stats.spans.marks import Mark

Row = list[int | str]  # start, end, category, severity, side, words
LONGEST = MetricReading._meta.get_field("metric").max_length


class Format(NamedTuple):
    """How a tool writes its marks."""

    title: str
    columns: tuple[frozenset[str], ...]  # of a file that may be one: any of these sets
    read: Callable[[BinaryIO, float], Read]


class Placed(NamedTuple):
    """Marks of a file, beside the texts that they stand in. Nothing is stored yet."""

    marks: dict[int, list[Row]]  # by id of a text; one without marks was read, too
    unknown: list[Segment]  # texts that the study does not have
    refusals: list[Refusal]  # marks that do not stand in their text
    again: int = 0  # segments that mark a text otherwise than one before

    @property
    def n_marks(self) -> int:
        return sum(map(len, self.marks.values()))


def read(
    file: BinaryIO, format: str, *, threshold: float = sentences.THRESHOLD
) -> Read:
    """What a file says, in one of `FORMATS`. Sentences are marked below the threshold.

    Raises:
        UploadError: With everything that makes it another kind of file.
    """
    try:
        read = FORMATS[format].read(file, threshold)
    except ValueError as error:
        raise UploadError([str(error)]) from error
    problems = Problems()
    for refusal in read.refusals:
        if refusal.code == "shape":
            about = refusal.about[:80]
            problems.add(f"this is no row of such a file: {about}", refusal.row)
    problems.raise_if_any()
    return read


def placed(*, study: Study, read: Read) -> Placed:
    """Find the text of each segment, letter by letter.

    A segment belongs to every text of the study with its words; where it names a system
    that the study has, to those of this system. A metric reads a text once: of several
    segments of one text, as by several raters, the first counts.
    """
    texts = _Texts(study)
    marks: dict[int, list[Row]] = {}
    unknown, again = [], 0
    for segment in read.segments:
        ids = texts.of(segment)
        if not ids:
            unknown.append(segment)
        rows = [_row(mark, segment) for mark in segment.marks]
        again += any(marks.get(pk, rows) != rows for pk in ids)
        marks = dict.fromkeys(ids, rows) | marks
    return Placed(marks, unknown, read.refusals, again)


def keep(*, study: Study, metric: str, marks: Mapping[int, list[Row]]) -> None:
    """Store them. What the metric has marked in this study before is replaced."""
    with transaction.atomic():
        forget(study=study, metric=metric)
        MetricReading.objects.bulk_create(
            MetricReading(generation_id=pk, metric=metric, marks=rows)
            for pk, rows in marks.items()
        )


def forget(*, study: Study, metric: str) -> None:
    """Delete what came from files under a name."""
    readings = MetricReading.objects.filter(generation__study=study, metric=metric)
    readings.filter(signature=None).delete()


# Files --------------------------------------------------------------------------------


def _records(file: BinaryIO) -> Iterator[dict[str, Any]]:
    problems = Problems()
    try:
        table = files.opened(Source(file, limits(), problems))
        yield from (dict(record.cells) for record in table.records)
    except Unreadable:
        pass
    problems.raise_if_any()


def _xcomet(file: BinaryIO, _: float) -> Read:
    """Of several lists, each is called after a file, which is a system."""
    lists: dict[str, list[Any]] = defaultdict(list)
    for record in _records(file):
        lists[str(record.get(files.PART) or "")].append(record)
    return xcomet.read(dict(lists))


def _mqm(file: BinaryIO, _: float) -> Read:
    lines = io.TextIOWrapper(file, "utf-8-sig", newline="\n")
    try:
        return wmt_mqm.read(lines)
    except UnicodeDecodeError as error:
        raise ValueError("the file is not UTF-8") from error
    finally:
        lines.detach()  # else the file is closed with it


FORMATS: Mapping[str, Format] = {
    "xcomet": Format(
        "xCOMET",
        (frozenset({"mt", "errors"}), frozenset({"mt", "error_spans"})),
        _xcomet,
    ),
    "esa": Format(
        "ESA of WMT24",
        (frozenset(esa.NEEDED),),
        lambda file, _: esa.of_rows(_records(file)),
    ),
    "mqm": Format("MQM of WMT", (frozenset(wmt_mqm.COLUMNS),), _mqm),
    "sentences": Format(
        f"Scores of sentences, marked below {sentences.THRESHOLD:g} if the file has no"
        " threshold",
        tuple(frozenset({"text", name}) for name in sentences.SCORES),
        lambda file, below: sentences.read(_records(file), threshold=below),
    ),
}


def formats_of(columns: frozenset[str]) -> list[str]:
    """Formats that a file with these columns may have."""
    return [
        key
        for key, format in FORMATS.items()
        if any(needed <= columns for needed in format.columns)
    ]


class _Texts:
    """The texts of a study, by their words."""

    def __init__(self, study: Study) -> None:
        self.by_words: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.systems: set[str] = set()
        rows = Generation.objects.filter(study=study).order_by("pk")
        for pk, text, system in rows.values_list("pk", "text", "system__name"):
            self.by_words[text].append((pk, system or ""))
            self.systems.add(system or "")

    def of(self, segment: Segment) -> list[int]:
        """Ids of the texts that a segment is."""
        same = self.by_words.get(segment.of.text, [])
        if segment.of.system in self.systems:
            same = [text for text in same if text[1] == segment.of.system]
        return [pk for pk, _ in same]


def _row(mark: Mark, segment: Segment) -> Row:
    words = segment.of.text if mark.side == "text" else segment.of.source
    return [*mark, words[mark.start : mark.end]]
