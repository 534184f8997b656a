"""Columns that nothing says what they are: asked about if they may matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked

TEXTS = [f"The lantern shows the garden at {n} o'clock." for n in range(8)]


def beside(name: str, cells: Sequence[Any]) -> bytes:
    """A rated text for each cell, which stands in another column."""
    rows = [(text, 1 + n % 5, cells[n]) for n, text in enumerate(TEXTS)]
    return given.table(("text", "coherence", name), rows)


def unplaced(content: bytes, **options: Any) -> list[str]:
    questions = checked(content, **options).questions
    return [name for one in questions if one.code == "unplaced" for name in one.alike]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("factcheck", [0.25, 0.5, 0.125, 0.75, 0.3, 0.9, 0.2, 0.1]),
        ("x17", [120, 340, 220, 180, 90, 410, 77, 300]),
        ("second", [f"Another lantern shows {n} gardens." for n in range(8)]),
        ("rouge", ["x17", "b44"] * 4),
    ],
)
def test_what_may_be_a_text_a_rating_or_a_score_is_asked_about(name, cells):
    assert unplaced(beside(name, cells)) == [name]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Unnamed: 0", range(8)),
        ("row", [4, 2, 8, 1, 9, 33, 12, 5]),
        ("comment", ["I liked this one a lot"] * 8),
        ("submitted", [f"2026-11-0{n + 1} 10:00:00" for n in range(8)]),
        ("duration_seconds", [31, 55, 17, 90, 41, 66, 23, 12]),
        ("temperature", [0.1, 0.7, 0.9, 1.0, 0.1, 0.7, 0.9, 1.0]),
        ("condition", ["a", "b"] * 4),
        ("batch_constant", [7] * 8),
        ("empty", [""] * 8),
    ],
)
def test_notes_dates_counts_and_conditions_are_not(name, cells):
    assert unplaced(beside(name, cells)) == []


def test_all_of_them_are_one_question_with_what_is_in_each():
    numbers = [0.25, 0.5, 0.125, 0.75, 0.3, 0.9, 0.2, 0.1]
    rows = [(t, 3, v, -v) for t, v in zip(TEXTS, numbers, strict=True)]
    content = given.table(("text", "fluency", "zeta", "eta"), rows)
    (question,) = checked(content).questions
    assert list(question.alike) == ["zeta", "eta"]
    assert "numbers from 0.1 to 0.9" in question.examples[0]
    assert question.option == "--map ignore=zeta --map ignore=eta"


def test_a_choice_for_each_column_or_the_proposal_answers_it():
    content = beside("zeta", [0.25, 0.5, 0.125, 0.75, 0.3, 0.9, 0.2, 0.1])
    assert unplaced(content, yes=True) == []
    assert unplaced(content, map={"zeta": "ignore"}, guess=True) == []
    sheet = checked(content, map={"zeta": "score:zeta"}, guess=True)
    assert [row.scores for row in sheet.rows[:2]] == [{"zeta": 0.25}, {"zeta": 0.5}]
