"""Answers of a word are texts beside a prompt, though many rows repeat them."""

from __future__ import annotations

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked
from tests.annotation.imports.people.test_wide import prompt, text

ANSWERS = ["Paris", "42", "yes", "no", "yes", "Rome"]


@pytest.mark.parametrize("column", ["answer", "output", "response", "prediction"])
def test_short_answers_are_texts_for_all_raters(column):
    rows = [
        (prompt(n), answer, who, (n + k) % 5 + 1)
        for n, answer in enumerate(ANSWERS)
        for k, who in enumerate(("ann", "ben"))
    ]
    sheet = checked(given.table(("prompt", column, "rater", "coherence"), rows))
    assert (sheet.problems.lines(), sheet.questions) == ([], [])
    assert {
        (row.source, row.text, r.rater, r.value) for row in sheet for r in row.ratings
    } == set(rows)
    assert sheet.counts.texts == 6


def test_one_answer_of_two_systems_is_two_texts():
    rows = [
        (prompt(n), system, "yes", who, 3)
        for n in range(3)
        for system in ("m1", "m2")
        for who in ("ann", "ben")
    ]
    header = ("question", "model", "answer", "rater", "correctness")
    sheet = checked(given.table(header, rows))
    assert (sheet.counts.texts, sheet.counts.ratings) == (6, 12)


def test_numbers_may_be_answers_to_a_question():
    rows = [(prompt(n), 40 + n, n % 2) for n in range(6)]
    sheet = checked(given.table(("question", "answer", "correctness"), rows))
    assert [row.text for row in sheet] == ["40", "41", "42", "43", "44", "45"]


def test_a_label_beside_sentences_is_no_text():
    rows = [(prompt(n), text("x", n), ("good", "bad")[n % 2], 3) for n in range(6)]
    header = ("prompt", "essay", "target", "coherence")
    sheet = checked(given.table(header, rows))
    assert [row.text for row in sheet] == [text("x", n) for n in range(6)]


def test_answers_on_a_scale_are_no_texts():
    rows = [(prompt(n), ("Agree", "Disagree")[n % 2], "ann") for n in range(6)]
    sheet = checked(given.table(("question", "answer", "rater"), rows))
    assert sheet.counts.texts == 0
