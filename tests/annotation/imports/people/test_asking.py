"""Two readings that would store different numbers are asked about, and answered.

What is right is worked out here from the files themselves, by csv alone.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import krippendorff
import numpy as np
import pytest

from annotation import imports
from annotation.imports import _values
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import (
    checked,
    read_of,
    reasons,
    rows_of,
    sheet_of,
    unused,
)

AGREE = {
    "Strongly disagree": 1,
    "Disagree": 2,
    "Neither agree nor disagree": 3,
    "Agree": 4,
    "Strongly agree": 5,
}


def alpha(values: list[tuple[str, str, float]]) -> float:
    """Of (text, rater, value), by the krippendorff package."""
    texts = sorted({text for text, _, _ in values})
    raters = sorted({rater for _, rater, _ in values})
    table = np.full((len(raters), len(texts)), np.nan)
    for text, rater, value in values:
        table[raters.index(rater), texts.index(text)] = value
    return krippendorff.alpha(table, level_of_measurement="interval")


def codes(sheet: imports.Sheet) -> list[tuple[str, str]]:
    return [(one.code, one.about) for one in sheet.questions]


# Answers in words -------------------------------------------------------------------


def test_answers_of_a_known_scale_are_proposed_and_asked():
    sheet = sheet_of("17")
    right = {(r["text"], r["rater"], AGREE[r["coherence"]]) for r in rows_of("17")}
    assert codes(sheet) == [("words", "coherence")]
    assert read_of(sheet) == right
    assert sheet_of("17", yes=True).questions == []
    assert sheet_of("17", values={"coherence": AGREE}).questions == []


def test_answers_in_words_may_stand_in_lists():
    """As JUDGE-BENCH has them: of each text, the answers of all its raters."""
    answers = [["Yes", "No", "Hm"], ["No", "No", "Yes"], ["Yes", "Yes", "No"]]
    records = [
        {"text": f"Text {n} is here.", "coherence": cell}
        for n, cell in enumerate(answers)
    ]
    sheet = checked(json.dumps(records).encode())
    (question,) = sheet.questions
    assert (question.code, question.about) == ("words", "coherence")
    assert question.counts == {"Yes": 4, "No": 4, "Hm": 1}
    table = {"coherence": {"Yes": 1, "No": 0, "Hm": ""}}
    assert unused(sheet) == {"coherence": 3}
    assert reasons(sheet)["coherence"] == "not_answered"
    right = checked(json.dumps(records).encode(), values=table)
    assert unused(right) == {}
    assert [[r.value for r in row.ratings] for row in right.rows] == [
        [1, 0],
        [0, 0, 1],
        [1, 1, 0],
    ]


@pytest.mark.parametrize("name", ["quality", "bleu", "score", "x"])
def test_lists_of_decimals_are_neither_ratings_nor_scores(name):
    records = [
        {"text": f"Text {n} is here.", name: [0.113, 0.527 + n, -3.3]} for n in range(6)
    ]
    sheet = checked(json.dumps(records).encode())
    assert [(r.ratings, r.scores, r.means) for r in sheet.rows] == [([], {}, [])] * 6


def test_true_and_false_are_one_and_zero_once_somebody_agrees():
    number = {"True": 1, "False": 0}
    sheet = sheet_of("18")
    right = {(r["text"], r["rater"], number[r["faithfulness"]]) for r in rows_of("18")}
    assert codes(sheet) == [("words", "faithfulness")]
    assert read_of(sheet) == right


@pytest.mark.parametrize(
    ("answers", "numbers"),
    [
        (["Agree", "Strongly agree", "disagree"], [4, 5, 2]),
        (["stimme zu", "stimme nicht zu", "teils/teils"], [4, 2, 3]),
        (["D'accord", "Pas d'accord"], [4, 2]),
        (["de acuerdo", "muy en desacuerdo"], [4, 1]),
        (["非常同意", "不同意"], [5, 2]),
        (["4 - Agree", "5 - Strongly agree", "1"], [4, 5, 1]),
        (["Agree (4)", "Disagree (2)"], [4, 2]),
        (["yes", "no"], [1, 0]),
        (["ja", "nein"], [1, 0]),
        (["Bad", "OK", "Good"], [1, 2, 3]),
        (["poor", "excellent"], [None, None]),
        (["alpha", "beta"], [None, None]),
        (["1.5", "3", "5"], [2, 5, 9]),
        (["1,5", "3"], [2, 5]),
        (["-2", "0", "1"], [1, 3, 4]),
        (["-1", "2"], [2, 5]),
        (["0", "0.5", "1"], [1, 2, 3]),
    ],
)
def test_numbers_are_proposed_for_answers(answers, numbers):
    table = _values.proposed(answers)
    assert [table[answer] for answer in answers] == numbers


def test_words_of_no_scale_need_a_person():
    rows = [(f"A text with number {n}.", "abc"[n % 3]) for n in range(12)]
    sheet = checked(given.table(("text", "quality"), rows), yes=True)
    [question] = sheet.questions
    assert not question.has_proposal
    assert set(question.table) == set("abc")
    answered = {"quality": {"a": 1, "b": 2, "c": ""}}
    sheet = checked(given.table(("text", "quality"), rows), values=answered)
    assert sheet.questions == []
    assert sheet.counts.ratings == 8
    assert unused(sheet) == {"quality": 4}


def test_answers_that_name_no_aspect_count_for_all():
    rows = [(f"A text with number {n}.", "ab"[n % 2], "ab"[n % 2]) for n in range(8)]
    table = given.table(("text", "quality", "fluency"), rows)
    sheet = checked(table, values={"": {"a": 1, "b": 2}})
    assert sheet.questions == []
    assert sheet.counts.ratings == 16


# Half points and scales below 0 ------------------------------------------------------


@pytest.mark.parametrize(("start", "first", "step"), [("19", 1, 0.5), ("20", -2, 1)])
def test_steps_keep_their_distances(start, first, step):
    sheet = sheet_of(start)
    said = [(r["text"], r["rater"], float(r["coherence"])) for r in rows_of(start)]
    right = {(text, who, int((v - first) / step) + 1) for text, who, v in said}
    assert codes(sheet) == [("steps", "coherence")]
    assert read_of(sheet) == right
    assert alpha(sorted(read_of(sheet))) == pytest.approx(alpha(said), abs=1e-12)


# Numbers that say that there is none -------------------------------------------------


def test_numbers_far_outside_are_asked_about():
    sheet = sheet_of("16")
    assert sorted(codes(sheet)) == [("far", "coherence"), ("far", "fluency")]
    right = defaultdict(list)
    for row in rows_of("16"):
        for aspect in ("coherence", "fluency"):
            if 1 <= int(row[aspect]) <= 5:
                right[aspect].append(int(row[aspect]))
    for aspect, values in right.items():
        read = [r.value for row in sheet.rows for r in row.ratings]
        read = [
            r.value for row in sheet.rows for r in row.ratings if r.aspect == aspect
        ]
        assert read == values
    assert sheet.counts.ratings == sum(map(len, right.values())) == 69


def test_who_says_that_99_is_a_rating_gets_it():
    rows = [(f"A text with number {n}.", n % 5 + 1) for n in range(10)]
    rows.append(("The last text of all.", 99))
    table = given.table(("text", "coherence"), rows)
    assert codes(checked(table)) == [("far", "coherence")]
    sheet = checked(table, values={"coherence": {"99": 99}})
    assert (sheet.questions, sheet.counts.high) == ([], 99)


@pytest.mark.parametrize(
    "values", [[1, 2, 3, 4, 5], [-1, 0, 1], [0, 100, 99, 98], [7, 8, 9, 10], [0, 1]]
)
def test_ordinary_scales_are_not_asked_about_as_far(values):
    rows = [(f"A text with number {n}.", v) for n, v in enumerate(values * 4)]
    sheet = checked(given.table(("text", "coherence"), rows))
    assert "far" not in [code for code, _ in codes(sheet)]


# Commas ------------------------------------------------------------------------------


def test_decimal_commas_are_read():
    sheet = sheet_of("06")
    text = given_text("06")
    right = sorted(float(line[3].replace(",", ".")) for line in text)
    assert sorted(m.mean for row in sheet.rows for m in row.means) == right
    assert sheet.counts.metrics == {"BLEU": 30}
    assert sheet.questions == []


def given_text(start: str) -> list[list[str]]:
    import csv

    from tests.annotation.imports.people.test_people import path

    with path(start).open(encoding="cp1252", newline="") as file:
        header, *lines = csv.reader(file, delimiter=";")
    assert header[3] == "mean coherence"
    return lines


def test_a_comma_that_may_part_thousands_is_asked_about():
    rows = [(f"A text with number {n}.", f"{n + 1},{n}00") for n in range(10)]
    table = given.table(("text", "perplexity"), rows)
    assert [code for code, _ in codes(checked(table))] == ["decimal"]
    for decimal, first in (("comma", 1.0), ("point", 1000.0)):
        sheet = checked(table, decimal=decimal)
        assert sheet.questions == []
        assert sheet.rows[0].scores == {"perplexity": first}


def pairs(*cells: str, sep: str = ",") -> bytes:
    rows = [(f"A text with number {n}.", cells[n % len(cells)]) for n in range(12)]
    return given.table(("text", "coherence"), rows, sep)


def test_a_comma_that_may_part_two_ratings_is_asked_about():
    table = pairs("1,2", "3,4", "5,1", "4,4")
    [question] = checked(table, yes=True).questions
    assert (question.code, question.about) == ("ratings", "coherence")
    lists = checked(table, map={"coherence": "rating:coherence"}, guess=True)
    values = [r.value for r in lists.rows[0].ratings] + [
        r.value for r in lists.rows[1].ratings
    ]
    assert (lists.questions, values) == ([], [1, 2, 3, 4])
    means = checked(table, map={"coherence": "mean:coherence"}, guess=True)
    assert (means.questions, means.rows[0].means[0].mean) == ([], 1.2)


@pytest.mark.parametrize(
    "cells", [("1,2", "3,0"), ("1,2", "3,8"), ("1,25", "3,4"), ("1,5", "2,5")]
)
def test_a_comma_in_a_mean_is_not_asked_about(cells):
    assert codes(checked(pairs(*cells, sep=";"))) in ([], [("steps", "coherence")])


def test_points_and_commas_in_one_column_are_no_numbers_of_one_kind():
    rows = [("A first text here.", "3.5"), ("A second text here.", "3,5")]
    rows += [(f"A text with number {n}.", "4") for n in range(4)]
    table = given.table(("text", "bleu"), rows)
    sheet = checked(table)
    assert sheet.problems.bad_lines == {3}


# Columns that nothing names ----------------------------------------------------------


def test_whole_numbers_under_no_name_are_asked_about():
    rows = [(f"A text with number {n}.", n % 5 + 1) for n in range(20)]
    sheet = checked(given.table(("text", "Q1"), rows))
    assert codes(sheet) == [("ratings", "Q1")]
    assert checked(given.table(("text", "Q1"), rows), map={"text": "text"}).rows


@pytest.mark.parametrize("name", ["id", "turn", "n words", "position", "total_count"])
def test_columns_that_count_are_no_ratings(name):
    rows = [(f"A text with number {n}.", n % 5 + 1) for n in range(20)]
    assert checked(given.table(("text", name), rows)).counts.ratings == 0


@pytest.mark.parametrize("name", ["gpt4_score", "quality-suggestion", "model_rating"])
def test_numbers_of_programs_are_scores(name):
    rows = [(f"A text with number {n}.", n % 5 + 1) for n in range(20)]
    sheet = checked(given.table(("text", name), rows))
    assert (sheet.counts.ratings, sheet.counts.metrics) == (0, {name: 20})


def test_names_are_no_texts():
    rows = [(f"worker{n}", n % 5 + 1) for n in range(20)]
    sheet = checked(given.table(("who", "coherence"), rows))
    assert sheet.problems.of_the_file
    assert sheet.counts.texts == 0


def test_short_answers_are_texts_beside_a_prompt():
    rows = [(f"What is the capital of {n}?", f"City{n}") for n in range(50)]
    sheet = checked(given.table(("question", "city"), rows))
    assert (sheet.counts.texts, sheet.counts.prompts) == (50, 50)


def test_a_space_at_the_end_makes_no_other_text():
    sheet = sheet_of("24")
    per_text = Counter(row["text"].strip() for row in rows_of("24"))
    assert sheet.counts.texts == len(per_text) == 20
    assert sheet.counts.ratings == sum(per_text.values()) == 40


# What stands beside ratings ----------------------------------------------------------


def named(*columns: str) -> bytes:
    rows = [
        [f"The text that has number {n}.", *((n + k) % 5 + 1 for k in range(9))]
        for n in range(15)
    ]
    return given.table(("text", *columns), [row[: len(columns) + 1] for row in rows])


def test_a_colon_in_a_name_makes_no_rater():
    sheet = checked(named("Quality: overall", "Quality: language"))
    assert {r.rater for row in sheet.rows for r in row.ratings} == {""}
    assert set(sheet.counts.aspects) == {"quality-overall", "quality-language"}


@pytest.mark.parametrize(
    "name", ["coherence_sd", "coherence_n", "fluency_order", "quality_rt", "z_score"]
)
def test_what_is_worked_out_of_ratings_is_none(name):
    sheet = checked(named(name))
    assert (sheet.counts.ratings, sheet.counts.means) == (0, 0)
    assert unused(sheet) == {name: 15}


def test_a_mean_is_a_mean_though_all_are_whole():
    sheet = checked(named("coherence_mean"))
    assert (sheet.counts.ratings, sheet.counts.means) == (0, 15)


@pytest.mark.parametrize("name", ["claude_rating", "chatgpt quality", "llama3_score"])
def test_models_are_no_people(name):
    sheet = checked(named(name))
    assert (sheet.counts.ratings, sheet.counts.metrics) == (0, {name: 15})


def test_a_number_beyond_a_gap_is_asked_about():
    rows = [(f"The text that has number {n}.", n % 5 + 1) for n in range(20)]
    sheet = checked(given.table(("text", "coherence"), [*rows, ("The last one.", 44)]))
    assert codes(sheet) == [("far", "coherence")]
    assert (sheet.counts.ratings, sheet.counts.high) == (20, 5)


def test_a_metric_may_give_any_number_but_minus_99():
    rows = [(f"The text that has number {n}.", n % 5 + 1) for n in range(20)]
    table = given.table(("text", "perplexity"), [*rows, ("The last one.", 99)])
    sheet = checked(table, yes=True)
    assert (sheet.asked, sheet.counts.metrics) == ([], {"perplexity": 21})
    table = given.table(("text", "perplexity"), [*rows, ("The last one.", -99)])
    assert codes(checked(table)) == [("far", "perplexity")]


@pytest.mark.parametrize(
    "answers",
    [
        ["bad", "poor", "fair", "good", "excellent"],
        ["trifft nicht zu", "trifft eher nicht zu", "teils/teils"]
        + ["trifft eher zu", "trifft zu"],
    ],
)
def test_two_answers_are_two_numbers(answers):
    table = _values.proposed(answers)
    assert [table[answer] for answer in answers] == [1, 2, 3, 4, 5]


def test_lists_of_other_numbers_are_no_ratings():
    records = [
        {"text": f"The text number {n}.", "lengths": [12, n], "coherence": [4, 5]}
        for n in range(6)
    ]
    sheet = checked(given.jsonl(*records))
    assert {r.aspect for row in sheet.rows for r in row.ratings} == {"coherence"}
    assert unused(sheet) == {"lengths": 6}


# Which column has the texts ----------------------------------------------------------


def test_of_two_columns_with_sentences_a_person_chooses():
    rows = [
        (f"The first sentence has {n}.", f"Another one of these has {n}.", n % 5 + 1)
        for n in range(8)
    ]
    table = given.table(("left", "right", "coherence"), rows)
    assert codes(checked(table, yes=True)) == [("texts", "right")]
    sheet = checked(table, map={"left": "text", "right": "ignore"}, guess=True)
    assert sheet.questions == []
    assert sheet.rows[0].text == "The first sentence has 0."


def test_the_name_says_which_is_the_text_and_which_it_answers():
    rows = [
        (f"A long input sentence that has number {n}.", f"Short out put {n}.", 3)
        for n in range(6)
    ]
    sheet = checked(given.table(("input_text", "output_text", "coherence"), rows))
    assert sheet.questions == []
    assert (sheet.rows[0].text, sheet.rows[0].source) == (rows[0][1], rows[0][0])


@pytest.mark.parametrize("name", ["comment", "Begründung", "explanation"])
def test_what_people_add_is_no_text(name):
    rows = [
        (f"Short text {n}.", f"I think that this is number {n} of them.", 3)
        for n in range(6)
    ]
    sheet = checked(given.table(("sentence", name, "fluency"), rows))
    assert sheet.rows[0].text == "Short text 0."


def test_dates_are_no_texts():
    rows = [(f"2024/05/{n:02} 10:12:33 AM GMT+1", n % 5 + 1) for n in range(1, 9)]
    assert checked(given.table(("when", "coherence"), rows)).counts.texts == 0


# A row for each rating ---------------------------------------------------------------


def test_a_row_for_each_aspect_is_a_rating_of_it():
    rows = [
        (f"The text number {n}.", who, aspect, (n + k) % 5 + 1)
        for n in range(5)
        for who in ("ann", "ben")
        for k, aspect in enumerate(("coherence", "fluency"))
    ]
    sheet = checked(given.table(("text", "rater", "criterion", "score"), rows))
    assert sheet.preset == "long_by_aspect"
    got = {(w.text, r.rater, r.aspect, r.value) for w in sheet.rows for r in w.ratings}
    assert got == set(rows)
    assert sheet.counts.texts == 5


def test_texts_that_differ_by_line_ends_are_one():
    rows = [
        ("7", "One line.\r\nAnother line.", "ann", 4),
        ("7", "One line.\nAnother line.", "ben", 2),
        ("8", "Some other\u00a0text here.", "ann", 4),
        ("8", "Some other text here.", "ben", 2),
    ]
    sheet = checked(given.table(("id", "text", "rater", "coherence"), rows))
    assert [row.key for row in sheet.rows] == ["7", "8"]
    assert sheet.counts.ratings == 4
    [note] = sheet.notes
    assert note.startswith("2 rows have the text of an earlier row but for spaces")
