"""Errors that people and metrics marked in texts, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Max

from annotation import page_kinds
from annotation.models import Generation, Study
from annotation.page_kinds.tables import MarkRow
from scoring.models import MetricReading
from scoring.results import mark_names
from scoring.stats.data import (
    NONE,
    ErrorMarks,
    MarkedTexts,
    MarkedWords,
    MetricMarks,
    UnplacedErrors,
)

NOTHING = (NONE, NONE, "", "", "text")
# Texts whose words are held, those with most marks: each row of an array of words takes
# as much as the longest.
MOST_WORDS, LONGEST = 300, 10_000


class MarkArrays(NamedTuple):
    """Called as `Data` calls them."""

    marked_texts: MarkedTexts
    marked_words: MarkedWords
    error_marks: ErrorMarks
    metric_marks: MetricMarks
    unplaced: UnplacedErrors


NOBODY = MarkArrays(
    MarkedTexts.of(()),
    MarkedWords.of(()),
    ErrorMarks.of(()),
    MetricMarks.of(()),
    UnplacedErrors.of(()),
)


def exist(*, study: Study) -> bool:
    """Whether anybody looked for errors. No query where no kind of page asks for it."""
    return next(_rows(study), None) is not None


def stamp(*, study: Study) -> str:
    """Tell whether marks of metrics changed; those of people change with verdicts."""
    readings = MetricReading.objects.filter(generation__study=study)
    last, n = readings.aggregate(Max("pk"), Count("pk")).values()
    return f"{n}-{last}" if n else ""


def of_study(*, study: Study, ids: np.ndarray) -> MarkArrays:
    """The texts, the words of those with most marks, and what was marked.

    Args:
        study: Which one.
        ids: Of its texts, in rising order: their places are what rows refer to.
    """
    places = {pk: place for place, pk in enumerate(ids.tolist())}
    rows = [row for row in _rows(study) if row.text in places]
    if not rows:  # marks of metrics are held against those of people
        return NOBODY
    words = dict(_words(study, {row.text: False for row in rows} | _sources(rows)))
    readings = _readings(study, words)
    stored = {reading.metric: reading.signature for reading in readings}
    names = mark_names.of_readings(study, stored)
    spelled = mark_names.of_errors(study)
    longest = _most_marked(
        rows, {pk: max(map(len, sides)) for pk, sides in words.items()}
    )
    return MarkArrays(
        MarkedTexts.of(
            (places[pk], len(text), len(source)) for pk, (text, source) in words.items()
        ),
        MarkedWords.of((places[pk], *words[pk]) for pk in sorted(longest)),
        ErrorMarks.of(
            (
                *(places[row.text], row.rater, row.valid, row.page, row.informed),
                *_named(mark, spelled),
            )
            for row in rows
            for mark in row.marks or [NOTHING]
        ),
        MetricMarks.of(
            (places[reading.text], names[reading.metric], *_named(mark, spelled))
            for reading in readings
            for mark in reading.standing(words[reading.text])
        ),
        UnplacedErrors.of(
            (places[reading.text], names[reading.metric], code)
            for reading in readings
            for code, _ in reading.unplaced
        ),
    )


def _sources(rows: Iterable[MarkRow]) -> dict[int, bool]:
    return {row.text: True for row in rows if row.source}


def _words(
    study: Study, marked: Mapping[int, bool]
) -> Iterator[tuple[int, tuple[str, str]]]:
    """Text and source of those that are marked; whether their sources are, too."""
    texts = Generation.objects.filter(study=study).order_by("pk")
    rows = texts.values_list("pk", "text", "prompt__source")
    for pk, text, source in rows.iterator(chunk_size=2000):
        if pk in marked:
            yield pk, (text, source if marked[pk] else "")


class _Reading(NamedTuple):
    """What a metric marked in one text."""

    text: int
    metric: str
    signature: int | None
    marks: Sequence[Sequence[Any]]
    unplaced: Sequence[tuple[str, str]]

    def standing(self, words: tuple[str, str]) -> Sequence[Sequence[Any]]:
        """Those in the words that the text still has; one without a place for none."""
        sides = dict(zip(("text", "source"), words, strict=True))
        right = [
            tuple(mark) for *mark, quote in self.marks if _stands(mark, quote, sides)
        ]
        return right or [NOTHING]


def _readings(study: Study, words: Mapping[int, tuple[str, str]]) -> list[_Reading]:
    """Of texts that people have read. One query."""
    readings = MetricReading.objects.filter(generation__study=study).order_by("pk")
    rows = readings.values_list(
        "generation_id", "metric", "signature_id", "marks", "unplaced"
    )
    return [_Reading(*row) for row in rows.iterator(chunk_size=2000) if row[0] in words]


def _named(mark: Sequence[Any], spelled: Mapping[str, str]) -> Iterator[Any]:
    """With the names of its category and its severity, as the study spells them."""
    start, end, category, severity, side = mark
    names = (spelled.get(key.casefold(), key) for key in (category, severity))
    return iter((start, end, *names, side))


def _stands(place: Sequence[Any], words: str, sides: Mapping[str, str]) -> bool:
    start, end, _, _, side = place
    text = sides.get(side, "")
    return end <= len(text) and text[start:end] == words


def _most_marked(rows: Iterable[MarkRow], lengths: Mapping[int, int]) -> set[int]:
    """Ids of the texts with most marks; of those that have as many, the first."""
    times: Counter[int] = Counter()
    for row in rows:
        times[row.text] += len(row.marks)
    short = (text for text in sorted(times) if lengths[text] <= LONGEST)
    return set(sorted(short, key=lambda text: -times[text])[:MOST_WORDS])


def _rows(study: Study) -> Iterator[MarkRow]:
    kinds = page_kinds.of(study)
    return chain.from_iterable(kind.tables.marks(study) for kind in kinds)
