"""Marks, and what they add up to, where they leave the study."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.archive.answers import ABOUT, OF_PAGE, PERTURBATION, SIMULATED, of_page
from annotation.archive.columns import Column, Reader, Table
from annotation.kinds.edits.words import words
from annotation.kinds.spans import schemes
from annotation.kinds.spans.archived import ARCHIVED, ARCHIVED_DROPPED, PLACE, PROPOSED
from annotation.kinds.spans.mark_rows import mark_rows
from annotation.kinds.spans.marks import SOURCE, TEXT
from annotation.kinds.spans.measures import measures
from annotation.kinds.spans.models import DroppedProposal, SpanMark
from annotation.models import Seat, Study, Verdict
from annotation.page_kinds.tables import (
    AnswerTable,
    ArchivedAnswers,
    InApi,
    MarkRow,
    Measure,
    NoTables,
)
from scoring.penalties import penalty, per_100_words
from scoring.stats.spans.marks import Mark

ABOUT_TEXT = {
    "text": "item.generation.key",
    "negative_of": "item.negative.source.key",
    "perturbation": "item.negative.perturbation",
    **OF_PAGE,
}
MARKS = Table(
    "marks",
    "One place that a worker marked. A text in which they marked nothing has one row,"
    " whose number is 0.",
    (
        *(SIMULATED, *ABOUT, PERTURBATION, *PLACE),
        Column("in_place", "bool", "Whether they still stand there: else it is none"),
        *PROPOSED,
        *of_page(Seat.State.choices),
    ),
    of={"marked": "words", **ABOUT_TEXT},
)
DROPPED = Table(
    "dropped_proposals",
    "One mark that a metric proposed to a worker, and that the worker deleted.",
    (
        *(SIMULATED, *ABOUT, PERTURBATION, *PLACE),
        *of_page(Seat.State.choices),
    ),
    of={"marked": "words", **ABOUT_TEXT},
)
MARKED_TEXTS = Table(
    "marked_texts",
    "What the marks of one worker in one text add up to.",
    (
        *(SIMULATED, *ABOUT, PERTURBATION),
        Column("marks", "int", "How many"),
        Column("penalty", "float", "Sum of their weights; a worse text has more"),
        Column("penalty_per_100_words", "float?", "The same for each 100 words"),
        Column("words", "int", "Of the text"),
        Column("kinds", "string", "Number by category and severity, as JSON"),
        *of_page(Seat.State.choices),
    ),
    of=ABOUT_TEXT,
)


def all_marks(study: Study) -> QuerySet[SpanMark]:
    return _with_fates(SpanMark.objects.filter(seat__survey__study=study))


def all_dropped(study: Study) -> QuerySet[DroppedProposal]:
    return _with_fates(DroppedProposal.objects.filter(seat__survey__study=study))


def _with_fates(rows: QuerySet[Any]) -> QuerySet[Any]:
    """With what became of the page of each."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    related = rows.select_related(
        "item__generation", "item__negative__source", "seat__survey__prompt"
    )
    reason = Subquery(newest.values("reason")[:1])
    ordered: QuerySet[Any] = related.annotate(reason=reason).order_by("pk")
    return ordered


def marked_texts(study: Study) -> QuerySet[SpanMark]:
    """The first row of each text, whose seat has all."""
    firsts = all_marks(study).filter(number__lte=1)
    return firsts.prefetch_related("seat__span_marks")


def in_place(row: SpanMark) -> bool:
    """Whether its words still stand there."""
    placed = row.placed
    source = row.seat.survey.prompt.source
    return placed is None or placed.stands_in({TEXT: row.item.text, SOURCE: source})


def marks_of(row: SpanMark) -> list[Mark]:
    """All that are in place in the text of this row, by the same worker."""
    text, source = row.item.text, row.seat.survey.prompt.source
    placed = [
        mark.placed for mark in row.seat.span_marks.all() if mark.item_id == row.item_id
    ]
    sides = {TEXT: text, SOURCE: source}
    return [mark.mark for mark in placed if mark is not None and mark.stands_in(sides)]


def kinds(marks: Sequence[Mark]) -> str:
    counts = Counter(
        " ".join(filter(None, (mark.category, mark.severity))) or "error"
        for mark in marks
    )
    return json.dumps(dict(sorted(counts.items())), ensure_ascii=False)


def _excluded(row: SpanMark | DroppedProposal) -> bool:
    return bool(row.item.generation and row.item.generation.is_excluded)


def mark_readers(study: Study) -> Mapping[str, Reader]:
    return {"in_place": in_place, "excluded": _excluded}


def dropped_readers(study: Study) -> Mapping[str, Reader]:
    return {"excluded": _excluded}


def text_readers(study: Study) -> Mapping[str, Reader]:
    costs = schemes.of_study(study).costs
    return {
        "marks": lambda row: len(marks_of(row)),
        "penalty": lambda row: penalty(marks_of(row), costs),
        "penalty_per_100_words": lambda row: per_100_words(
            penalty(marks_of(row), costs), len(words(row.item.text))
        ),
        "words": lambda row: len(words(row.item.text)),
        "kinds": lambda row: kinds(marks_of(row)),
        "excluded": _excluded,
    }


# Also of damaged texts.
ALL_MARKS = AnswerTable(
    title="Marks",
    contents="Each place that a worker marked, with its offsets in the stored text and"
    " its words. A text without marks has one row. Workers appear as codes.",
    table=MARKS,
    answers=all_marks,
    readers=mark_readers,
    api=InApi(
        "marks",
        "Mark",
        "List marked errors",
        "Every place that a worker marked in a text, also of pages that do not count:"
        ' they do where `state` is "valid". A text in which nothing was marked has one'
        " row without a place.",
    ),
)
TEXTS_WITH_MARKS = AnswerTable(
    title="Marked texts",
    contents="What the marks of each worker in each text add up to: their number, the"
    " sum of their weights, and the same for each 100 words.",
    table=MARKED_TEXTS,
    answers=marked_texts,
    readers=text_readers,
    api=InApi(
        "marked-texts",
        "MarkedText",
        "List what marks add up to",
        "For each text and worker the number of marks and the sum of their weights.",
    ),
)


ALL_DROPPED = AnswerTable(
    title="Deleted proposals",
    contents="Each mark that a metric proposed and a worker deleted, with its offsets"
    " in the stored text. What became of the other proposals stands with the marks.",
    table=DROPPED,
    answers=all_dropped,
    readers=dropped_readers,
    api=InApi(
        "dropped-proposals",
        "DroppedProposal",
        "List deleted proposals",
        "Every mark that a metric proposed to a worker, who deleted it.",
    ),
)


class MarkTables(NoTables):
    tables: Sequence[AnswerTable] = (ALL_MARKS, TEXTS_WITH_MARKS, ALL_DROPPED)
    archived: Sequence[ArchivedAnswers] = (ARCHIVED, ARCHIVED_DROPPED)

    def measures(self, study: Study) -> Sequence[Measure]:
        return measures(study)

    def marks(self, study: Study) -> Iterator[MarkRow]:
        return mark_rows(study)

    def mark_scheme(self, study: Study) -> Mapping[str, Any]:
        scheme = schemes.of_study(study).as_json()
        of_people = ("needed_below", "each")
        return {name: v for name, v in scheme.items() if name not in of_people}
