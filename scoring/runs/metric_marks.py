"""Marks of metrics, from files: which text of the study each belongs to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from django.db import transaction

from annotation.models import Generation, Study
from scoring.models import MetricReading
from scoring.stats.spans.files import esa, wmt_mqm, xcomet
from scoring.stats.spans.files.segments import Read, Refusal, Segment
from scoring.stats.spans.marks import Mark

Row = list[int | str]  # start, end, category, severity, side, words


class Kept(NamedTuple):
    """What came of a file."""

    n_texts: int  # of the study, which the metric has read
    n_marks: int
    unknown: list[Segment]  # texts that the study does not have
    refusals: list[Refusal]  # marks that do not stand in their text


def _lines(reader: Callable[..., Read]) -> Callable[[Path], Read]:
    def read(path: Path) -> Read:
        with path.open(encoding="utf-8", newline="\n") as lines:
            return reader(lines)

    return read


def _xcomet(path: Path) -> Read:
    return xcomet.read(json.loads(path.read_text(encoding="utf-8")))


FORMATS: Mapping[str, Callable[[Path], Read]] = {
    "xcomet": _xcomet,
    "esa": _lines(esa.read),
    "mqm": _lines(wmt_mqm.read),
}


def keep(*, study: Study, metric: str, read: Read) -> Kept:
    """Keep the marks beside the texts that they stand in, letter by letter.

    A segment belongs to every text of the study with its words; where it names a system
    that the study has, to those of this system. What the metric has marked in this
    study before is replaced.
    """
    texts = _Texts(study)
    marks: dict[int, list[Row]] = {}
    unknown = []
    for segment in read.segments:
        ids = texts.of(segment)
        if not ids:
            unknown.append(segment)
        for pk in ids:
            marks[pk] = [_row(mark, segment) for mark in segment.marks]
    with transaction.atomic():
        MetricReading.objects.filter(generation__study=study, metric=metric).delete()
        MetricReading.objects.bulk_create(
            MetricReading(generation_id=pk, metric=metric, marks=rows)
            for pk, rows in marks.items()
        )
    return Kept(len(marks), sum(map(len, marks.values())), unknown, read.refusals)


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
