"""From bytes to a table: the right columns, the right cells, and what was passed over.

What is right is read out of the files here, by csv, json and openpyxl alone.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings as told
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from annotation import imports
from annotation.imports import _mapping, _names, files
from tests.annotation.imports import given

HERE = Path(__file__).parent
ROWS = [
    ["The lake shone.", "m1", "4"],
    ["It rained, and then it stopped.", "m2", "2"],
    ["Nobody came; we left.", "m1", "5"],
]
NAMES = ["text", "system", "coherence"]


class Read:
    """What becomes of a file, all of it."""

    def __init__(self, content: bytes, **options: Any) -> None:
        self.problems = imports.Problems()
        file = io.BytesIO(content)
        self.source = imports.Source(file, imports.Limits(), self.problems)
        self.table = files.opened(self.source, **options)
        self.records = [record.cells for record in self.table.records]
        self.rows = [list(cells.values()) for cells in self.records]
        self.columns, self.notes = self.table.columns, self.table.notes


def read(content: bytes | str, **options: Any) -> Read:
    found = Read(content.encode() if isinstance(content, str) else content, **options)
    assert found.problems.lines() == []
    return found


def refused(content: bytes) -> str:
    problems = imports.Problems()
    source = imports.Source(io.BytesIO(content), imports.Limits(), problems)
    with pytest.raises(imports.Unreadable):
        list(files.opened(source).records)
    return problems.causes()[0].example


def path(start: str) -> Path:
    [found] = HERE.glob(f"{start}-*")
    return found


def lines_of(start: str, encoding: str = "utf-8", **dialect: Any) -> list[list[str]]:
    """By the csv module, with the dialect that one sees in the file."""
    text = path(start).read_bytes().decode(encoding)
    return [row for row in csv.reader(io.StringIO(text, newline=""), **dialect) if row]


def written(rows: Sequence[Sequence[Any]], **dialect: Any) -> str:
    out = io.StringIO()
    csv.writer(out, **dialect).writerows(rows)
    return out.getvalue()


def book(*rows: Sequence[Any], merged: Sequence[str] = ()) -> bytes:
    made, out = Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(list(row))
    for region in merged:
        made.active.merge_cells(region)
    made.save(out)
    return out.getvalue()


# Tables of text, as people have them ------------------------------------------------


@pytest.mark.parametrize(
    ("start", "dialect", "begins"),
    [
        ("07", {"delimiter": ";"}, 0),
        ("07b", {"delimiter": ";"}, 1),
        ("10", {}, 0),
        ("21", {"delimiter": "\t"}, 0),
        ("21b", {"delimiter": "\t", "encoding": "utf-16"}, 0),
        ("22", {}, 0),
    ],
)
def test_each_cell_of_a_file_as_csv_reads_it(start, dialect, begins):
    header, *rows = lines_of(start, **dialect)[begins:]
    found = read(path(start).read_bytes())
    assert (found.columns, found.rows) == (header, rows)
    assert found.table.headed
    assert not any(cell.startswith('"') for row in found.rows for cell in row)


def test_a_line_that_names_the_separator_is_said():
    [note] = read(path("07b").read_bytes()).notes
    assert note == "The first line names the separator of columns and is no data."


def test_headings_of_qualtrics_are_no_answers():
    header, _, ids, *rows = lines_of("08")
    assert "ImportId" in ids[0]
    found = read(path("08").read_bytes())
    assert (found.columns, found.rows) == (header, rows)
    assert found.notes == ["Lines 2 and 3 are headings of Qualtrics and were not read."]


def test_what_python_writes_for_a_missing_number_is_missing():
    right = [json.loads(line) for line in path("05").read_text().splitlines()]
    right = [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in r.items()}
        for r in right
    ]
    found = read(path("05").read_bytes())
    assert found.records == right
    assert sum(r["coherence"] is None for r in right) == 6
    assert found.notes == ["6 values NaN or Infinity: taken as missing."]


# Workbooks, as people have them -----------------------------------------------------


def test_merged_prompts_reach_all_their_texts():
    sheet = load_workbook(path("14")).active
    header, *rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    for region in sheet.merged_cells.ranges:
        for row in range(region.min_row, region.max_row + 1):
            for column in range(region.min_col, region.max_col + 1):
                value = sheet.cell(region.min_row, region.min_col).value
                rows[row - 2][column - 1] = value
    found = read(path("14").read_bytes())
    assert (found.columns, found.rows) == (header, rows)
    assert len({row[0] for row in rows}) == 8


def test_formulas_without_a_value_are_said():
    found = read(path("14b").read_bytes())
    sheet = load_workbook(path("14b")).active
    cells = [cell for row in sheet.iter_rows(values_only=True) for cell in row]
    n = sum(str(cell).startswith("=") for cell in cells)
    assert n == 20
    [note] = found.notes
    assert note.startswith("20 formulas have no computed value")


def test_titles_above_the_header_are_no_texts():
    rows = [list(r) for r in load_workbook(path("14c")).active.values if all(r)]
    found = read(path("14c").read_bytes())
    assert [found.columns, *found.rows] == rows
    assert found.notes == ["The first 2 rows are above the header and were not read."]


def test_two_rows_of_a_header_become_one():
    _, _, *rows = [list(row) for row in load_workbook(path("14d")).active.values]
    found = read(path("14d").read_bytes())
    both = [f"{q} {r}" for q in ("coherence", "fluency") for r in ("ann", "ben")]
    assert found.columns == ["text", "system", *both]
    assert found.rows == rows


# Zip files, as people have them -----------------------------------------------------


def test_a_readme_in_front_does_not_hide_the_ratings():
    found = read(path("11").read_bytes())
    with zipfile.ZipFile(path("11")) as pack:
        text = pack.read("study/ratings.csv").decode()
    header, *rows = csv.reader(io.StringIO(text))
    assert (found.columns, found.rows) == (header, rows)
    assert '"study/README.txt"' in found.notes[0]


@pytest.mark.parametrize("start", ["12", "12d"])
def test_files_of_annotators_are_read_together(start):
    right = []
    with zipfile.ZipFile(path(start)) as pack:
        for name in pack.namelist():
            if name.endswith("annotated_instances.jsonl"):
                who = name.split("/")[-2]
                for line in pack.read(name).decode().splitlines():
                    right.append((who, json.loads(line)["displayed_text"]))
    found = read(path(start).read_bytes())
    assert [(r["folder"], r["displayed_text"]) for r in found.records] == right
    assert len(right) == 45
    assert bool(found.notes) == (start == "12")


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


def test_a_header_is_known_by_names_that_columns_are_guessed_by():
    for role, names in _names.USUAL.items():
        assert set(names) <= set(_mapping.USUAL[role])
    assert _names.ASPECTS <= _mapping.ASPECTS and _names.METRICS <= _mapping.METRICS


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


# Workbooks ----------------------------------------------------------------------------


def test_merged_cells_fill_to_the_right_and_downwards():
    content = book(
        ["prompt", "text", "ann", "ben"],
        ["P1", "A.", 4, None],
        [None, "B.", None, None],
        ["P2", "C.", 1, 2],
        merged=["A2:A3", "C2:D3"],
    )
    assert read(content).rows == [
        ["P1", "A.", 4, 4],
        ["P1", "B.", 4, 4],
        ["P2", "C.", 1, 2],
    ]


def test_a_merged_title_is_a_title():
    content = book(["Spring"], NAMES, *ROWS, merged=["A1:C1"])
    found = read(content)
    assert [found.columns, *found.rows] == [NAMES, *ROWS]


def test_names_of_columns_may_be_merged_both_ways():
    content = book(
        ["Spring", None, None, None, None],
        ["text", "system", "coherence", None, None],
        [None, None, "ann", "ben", "chi"],
        ["A.", "m1", 4, None, 5],
        ["B.", None, 1, 2, 3],
        merged=["A1:E1", "A2:A3", "B2:B3", "C2:E2", "B4:B5", "C4:D4"],
    )
    found = read(content)
    raters = ["coherence ann", "coherence ben", "coherence chi"]
    assert found.columns == ["text", "system", *raters]
    assert found.rows == [["A.", "m1", 4, 4, 5], ["B.", "m1", 1, 2, 3]]


def test_a_region_below_the_last_row_makes_no_rows():
    content = book(["prompt", "text"], ["P", "A."], merged=["A2:A50000"])
    assert read(content).rows == [["P", "A."]]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_sheet_with_the_table_is_read_wherever_it_is(place):
    made, out = Workbook(), io.BytesIO()
    made.remove(made.active)
    notes = [["What the columns mean"], *([f"A note {n}."] for n in range(40))]
    codes = [["variable", "meaning"], *([f"v{n}", "a mean"] for n in range(30))]
    sheets = [("Notes", notes), ("Codes", codes)]
    sheets.insert(place, ("Data", [NAMES, *ROWS]))
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(out)
    found = read(out.getvalue())
    assert (found.table.sheet, found.rows) == ("Data", ROWS)
    assert found.notes == ['The sheet "Data" was read, which holds the most.']
    asked = read(out.getvalue(), sheet="Codes")
    assert (asked.table.sheet, asked.notes) == ("Codes", [])


# JSON ---------------------------------------------------------------------------------

TEXT = "A text of some words."
ONE = {"output": TEXT, "score": 3}


@pytest.mark.parametrize(
    ("value", "n", "column"),
    [
        ({"meta": {"v": 1}, "request_states": [ONE] * 3}, 3, "output"),
        ({"a": {"b": {"c": [ONE] * 4}}, "few": [{"x": 1}]}, 4, "output"),
        (
            {"r": [{"model": "a", "o": [ONE] * 2}, {"model": "b", "o": [ONE]}]},
            3,
            "model",
        ),
        ({"ours": [ONE] * 2, "theirs": [ONE] * 3}, 5, "key"),
        ({"train": [ONE] * 2, "test": [ONE], "about": "x"}, 3, "key"),
        ([["output", "score"], [TEXT, 3], [TEXT, 4]], 2, "output"),
        ({"columns": ["output"], "index": [0], "data": [[TEXT]]}, 1, "output"),
        ({"output": [TEXT, TEXT], "score": [1, 2]}, 2, "score"),
        ({"schema": {"fields": [{"name": "x"}] * 9}, "data": [ONE]}, 1, "output"),
        ({"text": TEXT, "annotations": [{"by": 1}, {"by": 2}]}, 1, "text"),
        (
            {"all": [{"id": 1, "messages": [{"role": "user", "content": "x"}] * 4}]},
            1,
            "id",
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_records_are_found_wherever_they_are(value, n, column, indent):
    found = read(json.dumps(value, indent=indent))
    assert len(found.records) == n
    assert column in found.columns


def test_answers_by_item_of_one_person():
    value = {
        "user_id": "alice",
        "instance_id_ordering": ["i1", "i2"],
        "times": {"i1": {"t": 3}, "i2": {"t": 4}},
        "labels": {i: [[{"schema": "c", "name": "3"}, "3"]] for i in ("i1", "i2")},
    }
    found = read(json.dumps(value))
    assert [r["key"] for r in found.records] == ["i1", "i2"]
    assert {r["user_id"] for r in found.records} == {"alice"}
    assert found.records[0]["labels"] == [[{"schema": "c", "name": "3"}, "3"]]


def test_what_stands_beside_the_records_is_in_the_account():
    found = read(json.dumps({"about": "us", "x": {"y": [ONE] * 2, "z": [1, 2]}}))
    entries = found.source.account.entries(())
    assert {e.column: e.filled for e in entries} == {"about": 1, "x.z": 2}


def test_an_object_that_holds_no_records_is_no_text():
    assert "no list of records" in refused(b'{\n"port": 80,\n"host": "x"\n}')


def test_infinity_is_missing_in_documents():
    found = read('[{"text": "A.", "x": -Infinity}, {"text": "B.", "x": NaN}]')
    assert [r["x"] for r in found.records] == [None, None]
    assert found.notes == ["2 values NaN or Infinity: taken as missing."]


# Packed files -------------------------------------------------------------------------

TABLE = written([NAMES, *ROWS]).encode()
OTHERS = {
    "config.json": b'{"port": 80, "questions": ["coherence"]}',
    "codebook.csv": b"name,description\ntext,what was rated\ncoherence,1 to 5\n",
    "notes.txt": b"Of spring.\nWith three people, from the lab.\n",
    "__MACOSX/a/._ratings.csv": b"\0\5\1",
    ".DS_Store": b"\0",
    "plot.png": b"\x89PNG",
}


@pytest.mark.parametrize("place", range(len(OTHERS) + 1))
def test_the_ratings_are_found_in_any_order(place):
    packed = list(OTHERS.items())
    packed.insert(place, ("a/ratings.csv", TABLE))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        for name, content in packed:
            pack.writestr(name, content)
    found = read(out.getvalue())
    assert [found.columns, *found.rows] == [NAMES, *ROWS]
    [note] = found.notes
    for name in ("config.json", "codebook.csv", "notes.txt", "plot.png"):
        assert name in note
    assert "MACOSX" not in note and "DS_Store" not in note


def test_what_is_no_table_is_named_beside_a_single_one():
    found = read(given.packed(a__csv=TABLE, README__md=b"# Ours", x__png=b"x"))
    assert found.rows == ROWS
    [note] = found.notes
    assert note == (
        'Of the files in the zip file these were not read: "README.md", "x.png".'
    )


def test_large_files_of_utf_16_are_recognised():
    rows = [[f"Ein See, {n}.", "m1", "4"] for n in range(3000)]
    table = written([NAMES, *rows], delimiter="\t").encode("utf-16")
    found = read(given.packed(a__txt=b"Of spring.\nOf us.\n" * 9000, b__txt=table))
    assert found.rows == rows


def test_workbooks_beside_a_codebook():
    codes = given.excel(["variable", "meaning"], ["text", "what was rated"])
    files_ = {"codes__xlsx": codes, "a__xlsx": given.excel(NAMES, *ROWS)}
    files_ |= {"b__xlsx": given.excel(NAMES, *ROWS)}
    found = read(given.packed(**files_))
    assert [r["text"] for r in found.records] == [row[0] for row in ROWS * 2]
    assert [r["file"] for r in found.records] == ["a.xlsx"] * 3 + ["b.xlsx"] * 3


def test_files_of_unequal_fields_belong_together():
    first = given.jsonl({"text": "A.", "rating": 3, "by": "x"})
    second = given.jsonl({"text": "B.", "rating": 4, "note": "late"})
    found = read(given.packed(x__jsonl=first, y__jsonl=second))
    assert [r["text"] for r in found.records] == ["A.", "B."]


def test_notes_on_all_files_of_a_pack_are_kept():
    lines = [b'{"text": "A.", "x": 1}\n', b'{"text": "B.", "x": NaN}\n']
    note = "1 value NaN or Infinity: taken as missing."
    for order in (lines, lines[::-1]):
        content = given.packed(a__jsonl=order[0], b__jsonl=order[1], c__md=b"x")
        assert read(content).notes[1:] == [note]
    assert read(given.packed(a__jsonl=lines[1])).notes == [note]
    assert read(gzip.compress(lines[1])).notes == [note]


def test_gzip_and_zstandard():
    pa = pytest.importorskip("pyarrow")
    lines = given.jsonl({"text": "Ä."}, {"text": "B."})
    assert read(gzip.compress(TABLE)).rows == ROWS
    assert read(gzip.compress(lines)).rows == [["Ä."], ["B."]]
    packed = pa.Codec("zstd").compress(lines).to_pybytes()
    assert read(packed).rows == [["Ä."], ["B."]]
    assert "another packed file" in refused(gzip.compress(gzip.compress(TABLE)))
    assert "damaged or cut off" in refused(gzip.compress(TABLE)[:-9])
