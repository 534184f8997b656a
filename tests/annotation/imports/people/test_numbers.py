"""Numbers as people and their programs write them, each by hand."""

from __future__ import annotations

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, unused


def rows(cells: list[object], n: int = 12) -> list[tuple[str, object]]:
    return [(f"A text with number {k}.", cells[k % len(cells)]) for k in range(n)]


def ratings(sheet) -> list[int]:
    return [rating.value for row in sheet.rows for rating in row.ratings]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1/5", "4/5", "5/5"], [1, 4, 5]),
        (["4 / 5", "2 / 5"], [4, 2]),
        (["★★★★", "★★", "★★★★★"], [4, 2, 5]),
        (["★★★★☆", "★★☆☆☆"], [4, 2]),
        (["⭐️⭐️", "⭐️"], [2, 1]),
        (["４", "２", "５"], [4, 2, 5]),
        (["①", "②", "③"], [1, 2, 3]),
        (["٤", "٢"], [4, 2]),
        (["40%", "60 %", "80%"], [40, 60, 80]),
        (["'4", "'2"], [4, 2]),
        (["4 ", "2\u00a0"], [4, 2]),
        (["4.0", "2.0"], [4, 2]),
        (["4,0", "2,0"], [4, 2]),
    ],
)
def test_a_rating_in_other_clothes_is_its_number(cells, numbers):
    sheet = checked(given.table(("text", "coherence"), rows(cells)))
    assert ratings(sheet) == (numbers * 12)[:12]
    assert sheet.questions == [] and not sheet.problems


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["2,0;3,0", "4,0;5,0"], [2, 3, 4, 5]),
        (["2;3", "4;5"], [2, 3, 4, 5]),
        (["2|3", "4|5"], [2, 3, 4, 5]),
        (["2, 3", "4, 5"], [2, 3, 4, 5]),
        (["[2, 3]", "[4, 5]"], [2, 3, 4, 5]),
    ],
)
def test_lists_of_ratings_are_ratings(cells, numbers):
    sheet = checked(given.table(("text", "coherence"), rows(cells, 2)))
    assert ratings(sheet) == numbers
    assert sheet.questions == []


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["40.5%", "60%"], [40.5, 60]),
        (["40,5 %", "60 %"], [40.5, 60]),
        (["1.234,5", "98,5"], [1234.5, 98.5]),
        (["1.234", "98,5"], [1234, 98.5]),
        (["1,234", "98.5"], [1234, 98.5]),
        (["1,234.5", "98"], [1234.5, 98]),
        (["1,234,567", "98"], [1234567, 98]),
        (["1 234", "98"], [1234, 98]),
        (["1\u202f234,5", "98,5"], [1234.5, 98.5]),
        (["−2.5", "3"], [-2.5, 3]),
        (["1.234", "98.5"], [1.234, 98.5]),
    ],
)
def test_scores_are_read_as_their_column_is_written(cells, numbers):
    sheet = checked(given.table(("text", "perplexity"), rows(cells)))
    assert [row.scores["perplexity"] for row in sheet.rows] == (numbers * 12)[:12]
    assert sheet.questions == [] and not sheet.problems


def test_a_percentage_beside_a_share_is_no_number():
    sheet = checked(given.table(("text", "bleu"), rows(["40%", "0.4", "0.5"])))
    assert sheet.problems.bad_lines == {2, 5, 8, 11}


def test_real_minus_signs_are_of_a_scale_below_0():
    sheet = checked(
        given.table(("text", "coherence"), rows(["−2", "−1", "0", "1", "2"]))
    )
    assert [question.code for question in sheet.questions] == ["steps"]
    assert ratings(sheet)[:5] == [1, 2, 3, 4, 5]


def test_a_lone_number_below_0_is_asked_about():
    cells = rows([1, 2, 3, 4, 5], 20)
    for odd in ("-5", "−5", "-5.0"):
        table = given.table(("text", "coherence"), [*cells, ("The last one.", odd)])
        sheet = checked(table)
        assert [question.code for question in sheet.questions] == ["far"]
        assert len(ratings(sheet)) == 20
        assert unused(sheet) == {"coherence": 1}


def test_the_scale_is_the_one_that_cells_name():
    sheet = checked(given.table(("text", "coherence"), rows(["1/7", "4/7"])))
    assert sheet.counts.high == 7


@pytest.mark.parametrize(
    "word",
    [
        *("none", "skip", "n/a", "Not applicable", "Don't know", "can't say"),
        *("weiß nicht", "keine Angabe", "不知道", "no sé", "je ne sais pas", "unsure"),
    ],
)
def test_words_for_no_answer_are_proposed_as_none(word):
    cells = ["Agree", "Disagree", "Strongly agree", word]
    sheet = checked(given.table(("text", "coherence"), rows(cells)))
    [question] = sheet.questions
    assert question.table == {"Disagree": 2, "Agree": 4, "Strongly agree": 5, word: ""}
    assert question.has_proposal
    assert unused(sheet) == {"coherence": 3}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["one", "four"], [1, 4]),
        (["eins", "vier"], [1, 4]),
        (["III", "I"], [3, 1]),
        (["4 (good)", "2 (bad)"], [4, 2]),
        (["4 out of 5", "2 out of 5"], [4, 2]),
        (["****", "**"], [4, 2]),
    ],
)
def test_numbers_in_words_are_proposed(cells, numbers):
    sheet = checked(given.table(("text", "coherence"), rows(cells)))
    [question] = sheet.questions
    assert [question.table[cell] for cell in cells] == numbers


def test_a_scale_beyond_100_is_said():
    sheet = checked(given.table(("text", "coherence"), rows([0, 250, 500, 1000])))
    [entry] = [entry for entry in sheet.account if entry.column == "coherence"]
    assert entry.because == (
        "they go from 0 to 1000, and no scale here goes beyond -5 and 100: divide them"
    )


def test_words_for_no_answer_among_numbers_are_none():
    sheet = checked(given.table(("text", "coherence"), rows([1, 2, 3, "skip"])))
    assert ratings(sheet) == [1, 2, 3] * 3
    assert unused(sheet) == {"coherence": 3}
    assert not sheet.problems and sheet.questions == []
