"""Tables of text in other clothes: separators, quotes, headers, any dialect."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given as drawn
from hypothesis import settings as told
from hypothesis import strategies as st

from annotation import imports
from tests.annotation.imports.people.reading import (
    NAMES,
    ROWS,
    Read,
    book,
    read,
    written,
)
from tests.annotation.imports.people.test_people import checked

# The same kinds in other clothes: tables of text --------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_any_separator_and_any_end_of_lines(delimiter, end):
    content = written([NAMES, *ROWS], delimiter=delimiter, lineterminator=end)
    found = read(content)
    assert [found.columns, *found.rows] == [NAMES, *ROWS]


def test_ends_of_lines_may_be_mixed():
    rows = [NAMES, *ROWS]
    ends = ["\r", "\n", "\r\n", "\r"]
    content = "".join(
        written([row], lineterminator=end) for row, end in zip(rows, ends, strict=True)
    )
    assert read(content).rows == ROWS


def test_a_text_of_one_column_is_never_cut_in_silence():
    found = Read(b"text\nA lake.\rA sea.\nB.\n")
    assert "carriage return alone" in found.problems.lines()[0]
    assert read("text\rA lake.\rB.\r").rows == [["A lake."], ["B."]]


def test_a_long_file_of_an_old_mac_is_read_in_lines():
    rows = [["A lake. " * 20, "m1", str(n % 5 + 1)] for n in range(20_000)]
    content = written([NAMES, *rows], lineterminator="\r")
    assert len(content) > imports.Limits().line_bytes
    assert read(content).rows == rows


@pytest.mark.parametrize("line", ["sep=|", "SEP=|", '"sep=|"'])
def test_a_separator_that_is_named_is_believed(line):
    found = read(f"{line}\ntext|note\nA, b; c.|x\nD, e; f.|y\n")
    assert found.rows == [["A, b; c.", "x"], ["D, e; f.", "y"]]


def test_decimal_commas_do_not_separate():
    found = read("1,5;2,5;Ein See.\n2,5;3,5;Ein Fluss.\n")
    assert found.rows[0] == ["1,5", "2,5", "Ein See."]


def test_separators_in_quotes_are_not_counted():
    found = read('"a, b, c, d";"e, f"\n"A, b.";"C, d."\n"E.";"F."\n')
    assert found.columns == ["a, b, c, d", "e, f"]


def test_records_that_do_not_fit_are_all_said():
    found = Read(b"text,system\nA lake.,m1\nOh, no.,m1\nYes, sir, no.,m2\n")
    assert sorted(found.problems.bad_lines) == [3, 4]
    assert found.rows == [["A lake.", "m1"]]


@pytest.mark.parametrize("delimiter", ["\t", "|"])
@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ('"He said ""no""."', 'He said "no".'),
        ('"Go," he said.', '"Go," he said.'),
        ('"Go', '"Go'),
        ('He said "no".', 'He said "no".'),
        ('"Go" and "stay"', '"Go" and "stay"'),
    ],
)
def test_quotes_are_around_cells_only_if_all_are_closed(delimiter, cell, right):
    lines = ["text\tsystem", "A lake.\tm1", f"{cell}\tm2", "B.\tm3"]
    content = "\n".join(lines).replace("\t", delimiter)
    assert read(content).rows[1] == [right, "m2"]


def test_quotes_that_two_cells_seem_to_share_are_plain():
    """A reader of csv makes one text of two, with as many cells as the others."""
    found = read('text\tsystem\n"Go.\tm1\nStay."\tm2\nB.\tm3\n')
    assert found.rows == [['"Go.', "m1"], ['Stay."', "m2"], ["B.", "m3"]]


def test_quotes_that_are_wrong_far_below_count():
    rows = [f'"A ""lake"" {n}."\tm1\n' for n in range(20_000)]
    content = "text\tsystem\n" + "".join(rows) + '"Go," he said.\tm2\n'
    assert read(content).rows[-1] == ['"Go," he said.', "m2"]


def test_quoted_texts_of_tab_files_may_have_lines_and_tabs():
    rows = [["One\nline\tand more", "m1"], ['"Two"', "m2"], ["Three", "m3"]]
    content = written([["text", "system"], *rows], delimiter="\t")
    assert read(content).rows == rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "titles",
    [
        ["Ratings of spring"],
        ["Ratings of spring", "three people, one lab", ""],
        ["# exported 2025-04-01", "# by: us"],
        ["Study:;Pilot;", "Date:;2025;"],
    ],
)
def test_lines_above_the_header_are_passed_over(delimiter, titles):
    above = [line.replace(";", delimiter) for line in titles]
    content = "\n".join(above) + "\n" + written([NAMES, *ROWS], delimiter=delimiter)
    found = read(content)
    assert [found.columns, *found.rows] == [NAMES, *ROWS]
    n = len([line for line in titles if line])
    [note] = found.notes
    assert note.startswith(f"The first {n} lines" if n > 1 else "The first line")


def test_titles_above_names_that_nobody_knows():
    rows = [[f"Ein Satz über den See {n}.", f"m{n % 2}", str(n)] for n in range(6)]
    content = "Bewertungen\n\n" + written([["Satz", "Wer", "Note"], *rows])
    found = read(content)
    assert (found.columns, found.rows) == (["Satz", "Wer", "Note"], rows)


@pytest.mark.parametrize(
    "header",
    [["", "text", "system"], ["", "Satz"], ["text", "", ""], ["text", "system", "1"]],
)
def test_an_odd_header_is_no_title(header):
    rows = [[f"{n}", f"Some words {n}", "m"][: len(header)] for n in range(4)]
    assert read(written([header, *rows])).rows == rows


@pytest.mark.parametrize("names", [["0", "1", "2"], ["1", "2", "3"]])
@pytest.mark.parametrize("known", [["text", "system"], ["text", "x"], ["Satz", "x"]])
def test_raters_may_be_numbers(names, known):
    rows = [[f"A long text with words {n}.", "m", "3", "4", "5"] for n in range(5)]
    found = read(written([[*known, *names], *rows]))
    assert (found.columns, found.rows) == ([*known, *names], rows)


def test_a_table_without_a_header_keeps_its_first_row():
    rows = [[f"A long text with words {n}.", "m", "1", "2", "3"] for n in range(5)]
    found = read(written(rows))
    assert not found.table.headed
    assert found.rows == rows


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("text,system,coherence,,fluency,", ",,ann,ben,ann,ben"),
        (",,coherence,,fluency,", "text,system,ann,ben,ann,ben"),
        ("text,system,coherence,coherence,fluency,fluency", ",,ann,ben,ann,ben"),
        ("text,system,coherence,,fluency,", "text,system,ann,ben,ann,ben"),
    ],
)
@pytest.mark.parametrize("title", ["", "Ratings of spring,,,,,\n"])
def test_two_lines_may_name_the_columns(upper, lower, title):
    rows = [[f"A lake {n}.", "m", "1", "2", "3", "4"] for n in range(3)]
    found = read(f"{title}{upper}\n{lower}\n{written(rows)}")
    both = [f"{q} {r}" for q in ("coherence", "fluency") for r in ("ann", "ben")]
    assert found.columns == ["text", "system", *both]
    assert found.rows == rows


@pytest.mark.parametrize(
    "rows",
    [
        [["text", "coherence", ""], ["A.", "1", "2"], ["B.", "2", "3"]],
        [["id", "text", "text"], ["", "One.", "Two."], ["", "Three.", "Four."]],
        [["text", "note", ""], ["A.", "b", "c"], ["D.", "e", "f"]],
    ],
)
def test_a_first_row_of_data_is_no_second_header(rows):
    assert read(written(rows)).rows == rows[1:]


def test_row_names_of_r_have_no_name():
    rows = [[str(n), f"A lake {n}.", "m"] for n in range(1, 5)]
    content = written([["text", "system"]]) + written(rows, quoting=csv.QUOTE_ALL)
    found = read(content)
    assert (found.columns, found.rows) == (["column 1", "text", "system"], rows)


def test_texts_with_a_comma_in_each_are_no_table_in_silence():
    found = Read(b"Satz\nEs war, und ist.\nEr kam, sah.\nSie ging, blieb.\n")
    assert found.problems.bad_lines == {2, 3, 4}


def test_texts_with_a_comma_in_each_are_no_row_names():
    found = Read(b"text,system\nOne, two.,m\nThree, four.,m\n")
    assert found.problems.bad_lines == {2, 3}


def test_qualtrics_in_a_tab_file():
    ids = ['{"ImportId":"QID1_TEXT"}', '{"ImportId":"QID2"}']
    rows = [["text", "coherence"], ["The text?", "How\ncoherent?"], ids, ["A.", "4"]]
    content = written(rows, delimiter="\t").encode("utf-16")
    assert read(content).rows == [["A.", "4"]]


def test_qualtrics_in_a_workbook():
    names = ["StartDate", "EndDate", "text", "coherence"]
    asked = ["Start Date", "End Date", "The text", "How coherent?"]
    found = read(book(names, asked, ["2025", "2025", "A.", 4]))
    assert found.rows == [["2025", "2025", "A.", 4]]
    assert found.notes == ["Row 2 is a heading of Qualtrics and was not read."]


# Any dialect, whatever stands in the cells -------------------------------------------

LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co"))
CELLS = st.text(LETTERS | st.sampled_from("\",;|\t\n'. "), max_size=30)
TEXTS = CELLS.map(lambda cell: f"A{cell}.")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], bytes]:
    """A table, and a file with it."""
    more = draw(st.lists(st.sampled_from(["notes", "Q1", "x y"]), unique=True))
    header = ["text", "system", *more]
    cells = st.tuples(TEXTS, st.sampled_from("abc"), *(CELLS for _ in more))
    rows = draw(st.lists(cells.map(list), min_size=1, max_size=6))
    dialect = {
        "delimiter": draw(st.sampled_from(",;\t|")),
        "quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n", "\r"])),
    }
    if dialect["lineterminator"] == "\r":  # csv leaves other ends in cells unquoted
        rows = [[cell.replace("\n", " ") for cell in row] for row in rows]
    titles = draw(st.lists(st.sampled_from(["Pilot", "of spring"]), max_size=2))
    text = written([*([title] for title in titles), header, *rows], **dialect)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return [header, *rows], text.encode(encoding)


@told(max_examples=300, deadline=None)
@drawn(tables())
def test_any_table_is_read_back(made):
    rows, content = made
    found = read(content)
    assert [found.columns, *found.rows] == rows


# Spaces between cells ---------------------------------------------------------------

OF_R = """"text" "coherence" "rater"
"1" "The lantern is in the lake." 4 "ann"
"2" "The garden is behind the bridge." 2 "ben"
"3" "He said ""no"" twice." 5 "ann"
"""


def test_what_r_writes_has_spaces_between_its_cells_and_names_of_rows():
    sheet = checked(OF_R.encode())
    assert [row.text for row in sheet.rows] == [
        "The lantern is in the lake.",
        "The garden is behind the bridge.",
        'He said "no" twice.',
    ]
    assert [row.ratings[0].value for row in sheet.rows] == [4, 2, 5]
    assert sheet.questions == []  # the numbers of rows are nobody's ratings


def test_sentences_of_equal_length_are_no_table():
    lines = [f"The {noun} is very old." for noun in ("lake", "garden", "bridge")]
    sheet = checked("\n".join(["text", *lines]).encode())
    assert [row.text for row in sheet.rows] == lines


def test_commas_below_the_name_of_an_only_column_part_nothing():
    lines = [
        '"He said ""no"" twice."',
        "It costs 3,50 a day.",
        "It was, by then, late.",
    ]
    sheet = checked("\n".join(["text", *lines]).encode())
    assert [row.text for row in sheet.rows] == [
        'He said "no" twice.',
        "It costs 3,50 a day.",
        "It was, by then, late.",
    ]
