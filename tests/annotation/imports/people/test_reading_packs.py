"""Workbooks, JSON and packed files in other clothes."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from openpyxl import Workbook

from tests.annotation.imports import given
from tests.annotation.imports.people.reading import (
    NAMES,
    ROWS,
    book,
    read,
    refused,
    written,
)

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
        ({"ours": [ONE] * 2, "theirs": [ONE] * 3}, 5, "part"),
        ({"train": [ONE] * 2, "test": [ONE], "about": "x"}, 3, "part"),
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
