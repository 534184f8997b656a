"""Shapes of public data sets, in files of our own words: ASSET, ParaBank and others."""

from __future__ import annotations

import pytest

from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked, read_of
from tests.annotation.imports.people.test_unplaced import TEXTS, unplaced


def test_simplifications_with_a_row_for_each_rating_keep_their_original_as_prompt():
    """As ASSET has them: original, simplification, aspect, worker_id, rating."""
    header = ("original", "simplification", "aspect", "worker_id", "rating")
    rows = [
        (f"The original of it is long {n}.", TEXTS[n], aspect, worker, 10 * n + at)
        for n in range(4)
        for worker in (3, 7)
        for at, aspect in enumerate(("meaning", "fluency"))
    ]
    sheet = checked(given.table(header, rows))
    assert sheet.questions == []
    assert [(r.text, r.source or r.prompt) for r in sheet.rows] == [
        (TEXTS[n], f"The original of it is long {n}.") for n in range(4)
    ]
    assert sum(len(row.ratings) for row in sheet.rows) == 16
    assert sheet.counts.aspects.keys() == {"meaning", "fluency"}


@pytest.mark.parametrize(
    "name",
    ["worker_id_anon", "Anonymized Worker ID", "annotator number", "crowd_worker_id"],
)
def test_who_rated_is_known_under_any_name_of_a_person(name):
    rows = [(text, 3 + rater % 2, rater) for text in TEXTS for rater in (11, 12)]
    sheet = checked(given.table(("text", "fluency", name), rows))
    assert sheet.problems.of_the_file is False
    assert read_of(sheet) == {(t, str(r), 3 + r % 2) for t in TEXTS for r in (11, 12)}


@pytest.mark.parametrize("separator", ["|", ";", ", "])
def test_what_one_person_ticked_are_no_ratings(separator):
    """As Mechanical Turk writes boxes: 1|3|5."""
    ticked = ["1", "1 2", "1 3 5", "2 3", "1 2 3 4 5", "4", "2 4 5", "1 4 5"]
    cells = [separator.join(one.split()) for one in ticked]
    for name, start in (("acceptable", ""), ("Answer.acceptable", "Input.")):
        rows = list(zip(TEXTS, cells, strict=True))
        content = given.table((f"{start}text", name), rows)
        sheet = checked(content)
        assert [row.ratings for row in sheet.rows] == [[]] * len(TEXTS)
        assert [one.code for one in sheet.questions] == ["unplaced"]


def test_the_subject_of_an_email_has_rated_nothing():
    rows = [(text, f"About our next meeting {n}", 4) for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("text", "subject", "fluency"), rows))
    assert {r.rater for row in sheet.rows for r in row.ratings} == {""}


def test_answers_with_commas_between_are_those_of_several_people():
    cells = ["4,2,2,3", "4,4,3.0", "1,2,1,1,1", "3, 3, 3"]
    rows = list(zip(TEXTS, cells, strict=False))
    sheet = checked(given.table(("sentence", "full-ratings"), rows))
    assert [[r.value for r in row.ratings] for row in sheet.rows] == [
        [4, 2, 2, 3],
        [4, 4, 3],
        [1, 2, 1, 1, 1],
        [3, 3, 3],
    ]


def test_thousands_are_no_lists_of_answers():
    rows = [(text, f"1,{n}34,567") for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("text", "score"), rows))
    assert [row.ratings for row in sheet.rows] == [[]] * len(TEXTS)


def test_who_won_is_asked_about_where_nothing_reads_it():
    rows = [(text, 1 + n % 5, "ab"[n % 2]) for n, text in enumerate(TEXTS)]
    content = given.table(("text", "coherence", "winner"), rows)
    assert unplaced(content) == ["winner"]


def test_short_answers_of_another_system_are_asked_about():
    nouns = "prison harbour orchard lantern parcel glacier meadow bridge".split()
    rows = [(f"a quiet {noun}", f"a living {noun}") for noun in nouns]
    assert unplaced(given.table(("output", "second"), rows)) == ["second"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<!DOCTYPE html><html><body>text</body></html>", "web page"),
        (b"\xef\xbb\xbf  <table><tr><td>text</td></tr></table>", "web page"),
        (b'<?xml version="1.0"?><r><text>A.</text></r>', "XML"),
        (b"%PDF-1.7\n1 0 obj\n", "PDF"),
        (b"{\\rtf1\\ansi text}", "text document"),
        (b"$FL2@(#) SPSS DATA FILE\0\0", "SPSS"),
        (b"<stata_dta><header>", "Stata"),
        (b"SQLite format 3\0", "database"),
    ],
)
def test_a_file_that_is_no_table_is_called_what_it_is(content, kind):
    sheet = checked(content)
    (told,) = sheet.problems.lines()
    assert kind in told
    assert sheet.rows == []


def test_minus_one_beside_one_alone_is_an_answer():
    rows = [(text, -1 if n % 3 else 1) for n, text in enumerate(TEXTS)]
    sheet = checked(
        given.table(("text", "grammar", "system"), [(*r, "a") for r in rows])
    )
    assert [one.code for one in sheet.questions] != ["far"]
    sheet = checked(given.table(("text", "fluency"), rows))
    (question,) = sheet.questions
    assert question.code == "steps"
    assert question.table == {"-1": 1, "1": 3}


def test_while_nobody_knows_the_answers_rows_of_several_raters_are_no_duplicates():
    answers = ("rough", "fair", "superb")
    rows = [(text, answer) for text in TEXTS for answer in answers]
    sheet = checked(given.table(("text", "fluency"), rows))
    assert [one.code for one in sheet.questions] == ["words"]
    assert sheet.problems.lines() == []
    assert len(sheet.rows) == len(TEXTS)


@pytest.mark.parametrize(
    "name", ["task worker id", "HIT worker name", "x annotator id"]
)
def test_ids_of_workers_are_no_ratings(name):
    rows = [(text, 1 + n % 5, f"w{n % 3}") for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("text", "fluency", name), rows))
    assert sheet.counts.aspects.keys() == {"fluency"}
    assert sheet.questions == []


def test_numbers_called_label_are_asked_about():
    rows = [(text, n % 2) for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("reply", "label"), rows))
    assert [(one.code, one.about) for one in sheet.questions] == [("ratings", "label")]


def test_long_answers_that_begin_with_their_number_are_ratings():
    """As the headers of a form have them: Is the summary fluent?"""
    answers = {
        "0: No--there are major errors that impact comprehension": 0,
        "1: Somewhat--there are some errors but I can understand the meaning": 1,
        "2: Yes--there are no errors that impact comprehension of the summary": 2,
    }
    rows = [(text, [*answers][n % 3]) for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("summary", "Is the summary fluent?"), rows))
    (question,) = sheet.questions
    assert (question.code, question.table) == ("words", answers)
    assert [row.ratings[0].value for row in sheet.rows] == [0, 1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("words", [("Yes", "No"), ("ja", "nein"), ("True", "False")])
def test_yes_and_no_under_the_name_of_a_label_are_asked_about(words):
    rows = [(text, words[n % 2]) for n, text in enumerate(TEXTS)]
    for header in (("text", "style"), ("text", "Style")):
        assert checked(given.table(header, rows)).questions
    rated = [(*row, 1 + n % 5) for n, row in enumerate(rows)]
    assert unplaced(given.table(("text", "style", "fluency"), rated)) == ["style"]


def test_raters_who_said_yes_or_no_are_no_answers_of_a_scale():
    answers = [(1, 0, "NA"), ("NA", 1, 0), (0, 1, "NA"), ("NA", "NA", 1)] * 2
    rows = [(text, *row) for text, row in zip(TEXTS, answers, strict=True)]
    header = ("text", *(f"quality rater {n}" for n in (1, 2, 3)))
    sheet = checked(given.table(header, rows))
    assert sheet.counts.aspects.keys() == {"quality"}
    assert sum(len(row.ratings) for row in sheet.rows) == 14


@pytest.mark.parametrize("cells", [[1, 2, "NA", "NA"], [1, 2, 3, 4], [2, 1, "NA", 3]])
def test_ratings_of_few_texts_may_count_up(cells):
    rows = [(t, c) for t, c in zip(TEXTS, cells, strict=False)]
    sheet = checked(given.table(("text", "Q1"), rows))
    assert [one.about for one in sheet.questions] == ["Q1"]


def test_a_column_that_says_nothing_but_99_is_asked_about():
    rows = [(text, 99 if n < 2 else "") for n, text in enumerate(TEXTS)]
    sheet = checked(given.table(("text", "relevance"), rows))
    (question,) = sheet.questions
    assert (question.code, question.table) == ("far", {"99": ""})
    assert [row.ratings for row in sheet.rows] == [[]] * len(TEXTS)
