"""From bytes to a table: the right columns, the right cells, and what was passed over.

What is right is read out of the files here, by csv, json and openpyxl alone.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile

import pytest
from openpyxl import load_workbook

from tests.annotation.imports.people.reading import (
    lines_of,
    path,
    read,
)

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
