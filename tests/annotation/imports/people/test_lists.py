"""Answers of several people in one cell, and lists of objects in one record."""

from __future__ import annotations

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, unused
from tests.annotation.imports.people.test_wide import text

# Lists of numbers ---------------------------------------------------------------------


def values(sheet: imports.Sheet) -> list[list[int]]:
    return [[r.value for r in row.ratings] for row in sheet]


@pytest.mark.parametrize(
    "cell",
    [
        [4, None, 5],
        [4.0, 5.0],
        ["4", "NA", "5"],
        "[4, null, 5]",
        "[4.0, nan, 5.0]",
        "['4', '5']",
        "4;NA;5",
        "4.0; 5.0",
    ],
)
def test_a_list_may_have_gaps_and_fractions(cell):
    lines = [{"text": text("x", n), "coherence": cell} for n in range(4)]
    sheet = checked(given.jsonl(*lines))
    assert (values(sheet), sheet.questions, unused(sheet)) == ([[4, 5]] * 4, [], {})


def test_lists_of_half_points_are_asked_about():
    cells = ["[1.5, 2]", "[3, 4.5]", "[1, 5]", "[2.5, 3.5]"]
    rows = [(text("x", n), cell) for n, cell in enumerate(cells)]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert codes(sheet) == [("steps", "coherence")]
    assert values(sheet) == [[2, 3], [5, 8], [1, 9], [4, 6]]


def test_a_list_says_where_99_is_no_answer():
    cells = ["[1, 2]", "[3, 99]", "[1, 5]", "[2, 4]", "[4, 5]"]
    rows = [(text("x", n), cell) for n, cell in enumerate(cells)]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert codes(sheet) == [("far", "coherence")]
    assert values(sheet) == [[1, 2], [3], [1, 5], [2, 4], [4, 5]]


def test_one_answer_alone_may_stand_among_lists():
    rows = [(text("x", 0), "4;5"), (text("x", 1), "3"), (text("x", 2), "")]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert values(sheet) == [[4, 5], [3], []]


def test_lists_of_lengths_and_probabilities_are_no_ratings():
    lines = [
        {"text": text("x", n), "quality": [1200, n], "score": [0.123 + n, 0.7]}
        for n in range(30)
    ]
    sheet = checked(given.jsonl(*lines))
    assert (sheet.counts.ratings, unused(sheet)) == (0, {"quality": 30, "score": 30})
