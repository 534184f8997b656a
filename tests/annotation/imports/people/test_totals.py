"""Rows of totals are no texts; words in a list of words are."""

from __future__ import annotations

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.reading import book
from tests.annotation.imports.people.test_people import checked, unused

NAMES = ("text", "system", "coherence")
ROWS = [(f"A text with number {n}.", f"m{n % 2}", n % 5 + 1) for n in range(10)]


@pytest.mark.parametrize(
    "total",
    [
        ("Total", "", 30),
        ("Average", "", "3.0"),
        ("Mean:", "m1", "3.2"),
        ("SD", "", "1.41"),
        ("Mittelwert", "", "3,0"),
        ("Durchschnitt", "", "3.00"),
        ("Moyenne", "", 3),
        ("Media", "", 3),
        ("平均", "", 3),
        ("Overall mean", "", 3),
        ("", "Average", 3),
        ("M", "", 3),
        ("N", "", 10),
    ],
)
@pytest.mark.parametrize("above", [True, False])
def test_a_row_of_totals_is_no_text(total, above):
    rows = [total, *ROWS] if above else [*ROWS, total]
    sheet = checked(given.table(NAMES, rows))
    assert sheet.questions == [] and not sheet.problems
    assert (sheet.counts.texts, sheet.counts.ratings) == (10, 10)
    line = 2 if above else 12
    assert sheet.notes == [f"Line {line} is for totals and was not read."]
    assert unused(sheet)["coherence"] == 1


def test_several_rows_of_totals_are_one_sentence():
    sheet = checked(given.table(NAMES, [*ROWS, ("Sum", "", 30), ("Mean", "", 3)]))
    assert sheet.notes == ["Lines 12, 13 are for totals and were not read."]


def test_totals_in_the_column_of_ids():
    rows = [(n, text, rating) for n, (text, _, rating) in enumerate(ROWS)]
    table = given.table(("id", "text", "coherence"), [*rows, ("Mean", "", 3)])
    assert [row.key for row in checked(table).rows] == [str(n) for n in range(10)]


def test_totals_of_a_workbook_whose_formulas_have_no_values():
    sheet = checked(book(NAMES, *ROWS, ("Mean", None, "=AVERAGE(C2:C11)")))
    assert sheet.counts.texts == 10


def test_words_that_people_rate_are_texts():
    words = [("total", 3), ("mean", 5), ("lake", 4), ("sum", 1), ("media", 2)]
    sheet = checked(given.table(("text", "coherence"), words))
    assert [row.text for row in sheet.rows] == [word for word, _ in words]


def test_an_answer_to_a_question_is_a_text():
    rows = [(f"What is the name of company {n}?", f"Firm{n}", 3) for n in range(9)]
    rows.append(("Which oil company is French?", "Total", 3))
    sheet = checked(given.table(("question", "answer", "quality"), rows))
    assert sheet.counts.texts == 10


def test_a_turn_of_one_word_is_a_turn():
    turns = [("user", f"Tell me some more about the lake {n}.") for n in range(6)]
    turns.insert(3, ("assistant", "Total"))
    table = given.table(("dialogue_id", "role", "text"), [(7, *one) for one in turns])
    row, *_ = checked(table).rows
    assert [turn.text for turn in row.messages] == [text for _, text in turns]


@pytest.mark.parametrize("who", ["Average", "mean rating", "Mittelwert", "平均"])
def test_the_mean_of_the_raters_is_nobody(who):
    rows = [
        (f"A text with number {n}.", rater, value)
        for n in range(4)
        for rater, value in (("ann", 2), ("ben", 4), (who, 3))
    ]
    sheet = checked(given.table(("text", "rater", "coherence"), rows))
    raters = {r.rater for row in sheet.rows for r in row.ratings}
    assert raters == {"ann", "ben"}
    assert unused(sheet)["coherence"] == 4
    assert sheet.notes == [f"4 rows are by “{who}”, which is nobody: not read."]


def test_a_rater_may_be_called_max():
    rows = [(f"A text with number {n}.", "Max", 4) for n in range(4)]
    sheet = checked(given.table(("text", "rater", "coherence"), rows))
    assert sheet.counts.ratings == 4


@pytest.mark.parametrize("total", [3, "3.0", 30])
def test_sums_without_a_word_are_no_text_at_the_end(total):
    sheet = checked(given.table(NAMES, [*ROWS, ("", "", total)]))
    assert not sheet.problems
    assert sheet.notes == ["Line 12 is for totals and was not read."]
    sheet = checked(given.table(NAMES, [("", "", total), *ROWS]))
    assert sheet.problems.bad_lines == {2}


def test_a_row_of_numbers_that_are_no_sums_is_said():
    sheet = checked(given.table(NAMES, [*ROWS, ("", "", 4)]))
    assert sheet.problems.bad_lines == {12}
