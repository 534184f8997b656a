"""Whatever its dialect, order and shape: a table says the same, or is asked about.

Never another number. 100,000 tables: `python -m tests.annotation.imports.people.many`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from annotation import imports
from annotation.studies import aspect_key
from tests.annotation.imports.people.any_table import UNNAMED, AnyTable, Rated, Truth

IN_CI = 300
MOST_ASKED = 0.2
SAME, ASKED, OTHER = "same", "asked", "other"


def outcome(number: int) -> tuple[str, str]:
    """What became of a table, and why."""
    table = AnyTable(number)
    content = table.written()
    sheet = imports.check(
        format="columns", file=io.BytesIO(content), options={"scale": imports.AUTO}
    )
    if sheet.questions:
        return ASKED, ", ".join(sorted({one.code for one in sheet.questions}))
    if sheet.problems:
        return ASKED, sheet.problems.causes()[0].example
    differences = list(_differences(sheet, table.truth))
    return (OTHER, "; ".join(differences)) if differences else (SAME, "")


def _differences(sheet: imports.Sheet, truth: Truth) -> Iterator[str]:
    rows = list(sheet)
    texts = {(row.text, row.system) for row in rows}
    ratings = {
        (row.text, row.system, r.rater, r.aspect, float(r.value))
        for row in rows
        for r in row.ratings
    }
    right = {(t, s, w, aspect_key(a), float(v)) for t, s, w, a, v in truth.ratings}
    scores = {(row.text, k, v) for row in rows for k, v in row.scores.items()}
    if texts != truth.texts or len(rows) != len(texts):
        yield f"texts: {list(texts ^ truth.texts)[:2]}"
    lost = right - ratings
    if lost and ratings <= right and _is_constant(sheet, lost):
        right -= lost  # as the account says
    if ratings != right:
        yield f"ratings: {list(ratings ^ right)[:3]} of {len(right)}"
    if scores != truth.scores:
        yield f"scores: {list(scores ^ truth.scores)[:2]}"
    if truth.ids and {row.text: row.key for row in rows} != truth.ids:
        yield "ids"


def _is_constant(sheet: imports.Sheet, lost: set[Rated]) -> bool:
    """Whether all that is lost is one number under a name that says nothing."""
    aspects, numbers = {one[3] for one in lost}, {one[4] for one in lost}
    unused = {entry.column.lower() for entry in sheet.account if not entry.used}
    unnamed = {name.lower() for name in UNNAMED}
    return aspects <= (unused & unnamed) and len(numbers) == 1


@pytest.mark.slow
def test_a_table_is_read_back_or_asked_about():
    outcomes = [outcome(number) for number in range(IN_CI)]
    others = [(n, why) for n, (kind, why) in enumerate(outcomes) if kind == OTHER]
    assert others == []
    asked = [why for kind, why in outcomes if kind == ASKED]
    assert len(asked) <= MOST_ASKED * IN_CI, asked
