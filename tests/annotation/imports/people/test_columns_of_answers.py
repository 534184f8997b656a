"""A column for each answer, and raters who are named beside their ratings."""

from __future__ import annotations

from typing import Any

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_asking import codes
from tests.annotation.imports.people.test_people import checked, read_of, unused
from tests.annotation.imports.people.test_recipes import because
from tests.annotation.imports.people.test_wide import text

ONE_HOT = "one_hot"


def hot(n: int, yes: Any, no: Any, most: int = 5) -> list[Any]:
    return [yes if n % most == k else no for k in range(most)]


def values(sheet: imports.Sheet) -> list[list[tuple[str, str, int]]]:
    return [[(r.aspect, r.rater, r.value) for r in row.ratings] for row in sheet]


RIGHT = [[("coherence", "ann", n % 5 + 1)] for n in range(7)]


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("true", "false"), ("True", ""), (1, ""), ("1.0", "0.0"), ("1", "NA")],
)
@pytest.mark.parametrize("name", ["coherence:::{}", "coherence:::scale_{}"])
def test_potato_has_a_column_for_each_answer(name, yes, no):
    header = ("user", "instance_id", "displayed_text")
    header = (*header, *(name.format(k) for k in range(1, 6)))
    rows = [("ann", n, text("x", n), *hot(n, yes, no)) for n in range(7)]
    sheet = checked(given.table(header, rows))
    assert (sheet.preset, sheet.questions) == (ONE_HOT, [])
    assert values(sheet) == RIGHT
    assert [row.key for row in sheet] == list("0123456")


@pytest.mark.parametrize(("yes", "no"), [(1, 0), ("true", "false"), (1, "")])
@pytest.mark.parametrize("name", ["coherence_{}", "coherence{}", "Coherence {}"])
def test_of_numbered_columns_the_chosen_one_is_the_answer(name, yes, no):
    header = ("text", "rater", *(name.format(k) for k in range(1, 6)))
    rows = [(text("x", n), "ann", *hot(n, yes, no)) for n in range(7)]
    sheet = checked(given.table(header, rows))
    assert sheet.questions == []
    assert values(sheet) == RIGHT


def test_a_scale_may_begin_with_0():
    header = ("text", *(f"fluency_{k}" for k in range(3)))
    rows = [(text("x", n), *hot(n, 1, 0, 3)) for n in range(6)]
    assert values(checked(given.table(header, rows))) == [
        [("fluency", "", n % 3)] for n in range(6)
    ]


def test_several_answers_to_one_question_are_none():
    header = ("text", "coherence:::1", "coherence:::2")
    rows = [(text("x", 0), "true", ""), (text("x", 1), "true", "true")]
    sheet = checked(given.table(header, rows))
    assert values(sheet) == [[("coherence", "", 1)], []]
    assert because(sheet) == {
        "coherence: 1": {"several answers to one question at once are no rating": 1},
        "coherence: 2": {"several answers to one question at once are no rating": 1},
    }


def test_few_rows_may_be_of_raters_and_are_asked_about():
    header = ("text", *(f"coherence_{k}" for k in (1, 2, 3)))
    content = given.table(header, [(text("x", n), *hot(n, 1, 0, 3)) for n in range(3)])
    sheet = checked(content)
    assert codes(sheet) == [("shape", ONE_HOT)]
    assert values(sheet) == [[("coherence", "", n + 1)] for n in range(3)]
    assert checked(content, preset="").counts.ratings == 9


def test_raters_who_say_yes_and_no_are_no_answers_of_one():
    header = ("text", *(f"coherence_{k}" for k in (1, 2, 3)))
    rows = [(text("x", n), 1, n % 2, 0) for n in range(8)]
    sheet = checked(given.table(header, rows))
    assert (sheet.preset, sheet.counts.ratings) == ("", 24)


# Raters beside ------------------------------------------------------------------------

BESIDE = "raters_beside"


def test_a_rating_is_of_the_rater_with_its_number():
    header = ("text", "rater1", "coherence1", "rater2", "coherence2")
    rows = [(text("x", n), "ann", n + 1, ("ben", "cem")[n % 2], 3) for n in range(4)]
    sheet = checked(given.table(header, rows))
    assert (sheet.preset, sheet.questions, unused(sheet)) == (BESIDE, [], {})
    assert read_of(sheet) == {
        *((text("x", n), "ann", n + 1) for n in range(4)),
        *((text("x", n), ("ben", "cem")[n % 2], 3) for n in range(4)),
    }


@pytest.mark.parametrize(
    "header",
    [
        ("worker_id_1", "worker_id_2", "fluency_1", "fluency_2"),
        ("Annotator 1", "Annotator 2", "Fluency 1", "Fluency 2"),
        ("annotator_1", "annotator_2", "annotator_1_fluency", "annotator_2_fluency"),
    ],
)
def test_raters_may_be_called_by_numbers(header):
    rows = [(text("x", n), 17, 23, n + 1, 3) for n in range(4)]
    sheet = checked(given.table(("text", *header), rows))
    assert read_of(sheet) == {
        *((text("x", n), "17", n + 1) for n in range(4)),
        *((text("x", n), "23", 3) for n in range(4)),
    }


def test_a_text_that_nobody_has_rated_stays():
    header = ("text", "rater1", "coherence1", "rater2", "coherence2")
    rows = [(text("x", 0), "ann", 3, "", ""), (text("x", 1), "", "", "", "")]
    sheet = checked(given.table(header, rows))
    assert sheet.counts.texts == 2
    assert read_of(sheet) == {(text("x", 0), "ann", 3)}


def test_columns_of_raters_with_numbers_in_them_are_ratings():
    rows = [(text("x", n), n % 5 + 1, 5 - n % 5) for n in range(8)]
    sheet = checked(given.table(("text", "rater1", "rater2"), rows))
    assert sheet.preset == ""


@pytest.mark.parametrize(
    "header",
    [
        ("rater1_name", "rater1_fluency", "rater2_name", "rater2_fluency"),
        ("evaluator1", "fluency_evaluator1", "evaluator2", "fluency_evaluator2"),
    ],
)
def test_the_rater_s_column_may_stand_in_the_name_of_the_rating(header):
    rows = [(text("x", n), "ann", n + 1, "ben", 3) for n in range(4)]
    sheet = checked(given.table(("text", *header), rows))
    assert [[(r.aspect, r.rater, r.value) for r in row.ratings] for row in sheet] == [
        [("fluency", "ann", n + 1), ("fluency", "ben", 3)] for n in range(4)
    ]


def test_answers_in_words_may_have_columns_of_their_own():
    words = ("bad", "ok", "good")
    header = ("text", "rater", *(f"coherence_{word}" for word in words))
    rows = [(text("x", n), "ann", *hot(n, 1, 0, 3)) for n in range(6)]
    sheet = checked(given.table(header, rows))
    assert codes(sheet) == [("words", "coherence")]
    assert values(sheet) == [[("coherence", "ann", n % 3 + 1)] for n in range(6)]


@pytest.mark.parametrize("name", ["fold", "system", "label", "batch"])
def test_other_columns_of_0_and_1_are_no_answers(name):
    header = ("text", "coherence", *(f"{name}_{k}" for k in (1, 2, 3)))
    rows = [(text("x", n), n % 5 + 1, *hot(n, 1, 0, 3)) for n in range(9)]
    sheet = checked(given.table(header, rows))
    assert (set(sheet.counts.aspects), sheet.counts.systems) == ({"coherence"}, set())


def test_answers_to_a_question_that_nobody_knows_are_asked_about():
    header = ("text", *(f"Q1_{k}" for k in range(1, 6)))
    rows = [(text("x", n), *hot(n, 1, 0)) for n in range(9)]
    sheet = checked(given.table(header, rows))
    assert codes(sheet) == [("ratings", "Q1")]
    assert values(sheet) == [[("q1", "", n % 5 + 1)] for n in range(9)]
