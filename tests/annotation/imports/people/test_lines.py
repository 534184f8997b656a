"""Lines of tables as programs and people leave them: none is lost, none is invented."""

from __future__ import annotations

import json

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.reading import book, read
from tests.annotation.imports.people.test_people import checked

TEXTS = ["A lake froze over in winter.", "The children went out.", "Nobody came there."]
PROSE = ["A lake froze, and we skated.", "Then, late, we left.", "Nobody was there."]


def texts(sheet: imports.Sheet) -> list[str]:
    return [row.text for row in sheet.rows]


@pytest.mark.parametrize("ends", [",", ",,,"])
def test_separators_at_the_end_of_rows_are_no_cells(ends):
    found = read(f"text,coherence\nA lake.,4{ends}\nA sea.,3\nA sun.,2{ends}\n")
    assert found.rows == [["A lake.", "4"], ["A sea.", "3"], ["A sun.", "2"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_quotation_marks_may_have_a_backslash(delimiter):
    lines = [
        *("text,coherence", r'"He said \"no\", and left.",4', "Plain.,3"),
        *(r'"It ends with a backslash \\",2', r'"\"Go\"",1'),
    ]
    head, *rest = lines
    cells = [line.rsplit(",", 1) for line in rest]
    content = "\n".join([head.replace(",", delimiter), *map(delimiter.join, cells)])
    assert read(content).rows == [
        ['He said "no", and left.', "4"],
        ["Plain.", "3"],
        ["It ends with a backslash \\", "2"],
        ['"Go"', "1"],
    ]


def test_backslashes_of_other_files_stay():
    content = 'text,coherence\n"A ""lake"" and C:\\",4\nA \\n in a text.,3\n'
    assert read(content).rows == [['A "lake" and C:\\', "4"], ["A \\n in a text.", "3"]]


@pytest.mark.parametrize("rows", [TEXTS, PROSE, ["你好，世界。", "第二个花园很安静。"]])
def test_a_list_of_texts_keeps_its_first(rows):
    assert texts(checked("\n".join(rows).encode())) == rows
    assert texts(checked(json.dumps(rows).encode())) == rows
    assert texts(checked(book(*([row] for row in rows)))) == rows


@pytest.mark.parametrize("name", ["text", "Satz", "Story", "gen_v2", "Output of GPT"])
@pytest.mark.parametrize("rows", [TEXTS, PROSE])
def test_a_list_of_texts_may_have_a_header(name, rows):
    sheet = checked("\n".join([name, *rows]).encode())
    assert (texts(sheet), sheet.questions) == (rows, [])


def test_a_first_line_that_may_be_either_is_asked_about():
    content = "\n".join(["The first of all lines", *TEXTS]).encode()
    sheet = checked(content)
    [question] = sheet.questions
    assert question.code == "header"
    assert question.sentence == (
        'The first line says "The first of all lines". It is taken for the name of the'
        " column. Is it one, and no text?"
    )
    named = checked(content, map={"The first of all lines": "text"})
    assert (texts(named), named.questions) == (TEXTS, [])
    assert texts(checked(b"text\n" + content))[0] == "The first of all lines"


def test_a_table_of_texts_and_names_keeps_its_first_row():
    rows = [[text.strip("."), "ours"] for text in TEXTS]
    assert read("\n".join(map(",".join, rows))).rows == rows


def test_blank_rows_between_others_are_passed_over():
    found = read("text,coherence\n\nA lake.,4\n , \n\t,\nA sea.,3\n\n")
    assert found.rows == [["A lake.", "4"], ["A sea.", "3"]]


@pytest.mark.parametrize("again", ["text,coherence", "coherence,text"])
def test_a_header_in_the_middle_is_no_row(again):
    second = "A sun.,2" if again[0] == "t" else "2,A sun."
    found = read(f"text,coherence\nA lake.,4\n{again}\n{second}\n")
    assert found.rows == [["A lake.", "4"], ["A sun.", "2"]]
    assert found.notes == ["Line 3 is the header once more and was not read."]


def test_a_header_in_the_middle_of_a_sheet_is_no_row():
    header = ("text", "coherence")
    found = read(book(header, ("A lake.", 4), header, ("A sun.", 2), header))
    assert found.rows == [["A lake.", 4], ["A sun.", 2]]
    assert found.notes == ["Rows 3, 5 are the header once more and were not read."]


def test_another_order_of_columns_counts_for_short_rows_too():
    rows = [("text", "note", "coherence"), ("A lake.", "x", 4)]
    again = [("coherence", "text", "note"), (3, "A sun.", None), (2, "A sea.", "y")]
    found = read(book(*rows, *again))
    assert found.rows == [["A lake.", "x", 4], ["A sun.", None, 3], ["A sea.", "y", 2]]


def test_sentences_with_quotes_and_commas_are_texts():
    lines = [
        'He said "no", and left.',
        "Then, late, we left.",
        "Nobody was there then.",
    ]
    assert texts(checked("\n".join(["text", *lines]).encode())) == lines


def test_names_in_words_are_still_a_header():
    header = ("Wie gut ist der Text?", "Was hat er gesagt?", "Satz")
    rows = [("4", "Ja.", "Es war kalt im Winter."), ("3", "Nein.", "Die See lag da.")]
    assert read(given.table(header, rows)).columns == list(header)


def test_names_with_a_space_after_the_comma_are_of_columns():
    found = read("Satz, Urteil\nEs war kalt im Winter, gut\nDie See lag da, mittel\n")
    assert len(found.columns) == 2


def test_texts_in_a_header_are_a_header_beside_a_name():
    header = ["Who", "The lake froze over in winter.", "The sea was calm today."]
    rows = [["ann", "It is quite good.", "It was bad."], ["ben", "Fine so far.", "No."]]
    assert read(given.table(header, rows)).columns == header
