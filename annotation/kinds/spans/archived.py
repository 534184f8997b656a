"""Marks in a data set, and back in a study."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from annotation.archive.columns import Column, Row, Table
from annotation.kinds.spans.models import DroppedProposal, Fate, SpanMark
from annotation.models import Seat, Study
from annotation.page_kinds.tables import OF_ANSWER, ArchivedAnswers

# Columns of a place, as marks have them everywhere.
PLACE = (
    Column("number", "int", "Of the mark in its text, from 1; 0: nothing marked"),
    Column("side", "string", "text or source"),
    Column("start", "int?", "First character, counted in code points from 0"),
    Column("end", "int?", "Behind the last; equal to start: something is missing"),
    Column("category", "string", "Of the study; empty: it has none"),
    Column("severity", "string", "Of the study; empty: it has none"),
    Column("marked", "string", "The characters from start to end"),
)
# What became of a mark, where marks are proposed.
PROPOSED = (
    Column("proposal", "int", "Number of the proposal that it began as; 0: of none"),
    Column(
        "fate",
        "string",
        "kept or changed, of a proposal; added; empty: nothing was proposed",
        choices=("", *Fate.values),
    ),
)
HIGHEST = 2**31 - 1


def answers(study: Study) -> QuerySet[SpanMark]:
    rows = SpanMark.objects.filter(seat__survey__study=study)
    return rows.select_related("item__generation", "item__negative__survey").order_by(
        "pk"
    )


def read(row: SpanMark) -> Row:
    return {**place_of(row), "proposal": row.proposal, "fate": row.fate}


def place_of(row: SpanMark | DroppedProposal) -> Row:
    names = {column.name: column.name for column in PLACE} | {"marked": "words"}
    return {name: getattr(row, attribute) for name, attribute in names.items()}


def restore(row: Row, seat: Seat, item: int, now: datetime) -> SpanMark:
    numbers = (row["number"], row["start"] or 0, row["end"] or 0)
    if any(not 0 <= number <= HIGHEST for number in numbers):
        raise ValueError("a number is no place in a text")
    values = {
        column.name: row[column.name] for column in PLACE if column.name != "marked"
    }
    # A data set of an earlier version has no such columns.
    values |= {"proposal": row.get("proposal") or 0, "fate": row.get("fate") or ""}
    return SpanMark(
        seat=seat, item_id=item, words=row["marked"], updated_at=now, **values
    )


ARCHIVED = ArchivedAnswers(
    Table(
        "marks",
        "Places in texts that people marked as errors; a text in which somebody marked"
        " nothing has a row without a place.",
        (*OF_ANSWER, *PLACE, *PROPOSED),
        single=True,
    ),
    answers,
    read,
    restore,
)


def dropped(study: Study) -> QuerySet[DroppedProposal]:
    rows = DroppedProposal.objects.filter(seat__survey__study=study)
    return rows.select_related("item__generation", "item__negative__survey").order_by(
        "pk"
    )


def restore_dropped(row: Row, seat: Seat, item: int, now: datetime) -> DroppedProposal:
    mark = restore({**row, "fate": ""}, seat, item, now)
    fields = ("number", "side", "start", "end", "category", "severity", "words")
    values = {name: getattr(mark, name) for name in fields}
    return DroppedProposal(seat=seat, item_id=item, updated_at=now, **values)


ARCHIVED_DROPPED = ArchivedAnswers(
    Table(
        "dropped_proposals",
        "Marks that a metric proposed to people, and that they deleted.",
        (*OF_ANSWER, *PLACE),
        single=True,
    ),
    dropped,
    place_of,
    restore_dropped,
)
