"""One rater rates the same words twice: another text, or the same one again."""

from __future__ import annotations

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, unused
from tests.annotation.imports.people.test_wide import prompt

HEADER = ("prompt", "answer", "rater", "coherence")
ROWS = [
    (prompt(1), "Paris", "ann", 4),
    (prompt(1), "Paris", "ben", 5),
    (prompt(1), "Paris", "ann", 1),
    (prompt(1), "Rome", "ann", 3),
    (prompt(1), "Paris", "ben", 2),
    (prompt(1), "Paris", "cem", 3),
]


def by_text(sheet: imports.Sheet) -> list[tuple[str, set[tuple[str, int]]]]:
    return [(row.text, {(r.rater, r.value) for r in row.ratings}) for row in sheet]


def test_it_is_asked_and_taken_for_another_text():
    sheet = checked(given.table(HEADER, ROWS))
    [question] = sheet.questions
    assert (question.code, question.sentence) == (
        "again",
        "2 lines rate a text that the same rater has rated before, as line 4 does. Is"
        " each of these another text with the same words?",
    )
    assert by_text(sheet) == [
        ("Paris", {("ann", 4), ("ben", 5), ("cem", 3)}),
        ("Paris", {("ann", 1), ("ben", 2)}),
        ("Rome", {("ann", 3)}),
    ]
    assert not sheet.problems


@pytest.mark.parametrize("options", [{"again": "text"}, {"yes": True}])
def test_who_says_that_it_is_another_text_is_not_asked(options):
    sheet = checked(given.table(HEADER, ROWS), **options)
    assert (sheet.questions, sheet.counts.texts) == ([], 3)


def test_of_the_same_text_the_first_rating_counts():
    sheet = checked(given.table(HEADER, ROWS), again="first")
    assert sheet.questions == []
    assert by_text(sheet) == [
        ("Paris", {("ann", 4), ("ben", 5), ("cem", 3)}),
        ("Rome", {("ann", 3)}),
    ]
    assert unused(sheet) == dict.fromkeys(HEADER, 2)
    assert sheet.counts.ratings == 4


def test_a_text_that_is_known_by_its_id_is_no_other_one():
    rows = [("q", *row) for row in ROWS[:3]]
    sheet = checked(given.table(("id", *HEADER), rows))
    assert codes(sheet) == []
    assert "rated again by the same rater" in sheet.problems.lines()[0]


def test_raters_without_names_are_not_asked_about():
    rows = [(text, value) for _, text, _, value in ROWS]
    rows = [(prompt(1), *row) for row in rows]
    sheet = checked(given.table(("prompt", "answer", "coherence"), rows))
    assert (codes(sheet), sheet.counts.ratings) == ([], 6)


def test_again_is_one_of_two():
    with pytest.raises(imports.UploadError, match="again is one of text, first"):
        checked(given.table(HEADER, ROWS), again="last")
