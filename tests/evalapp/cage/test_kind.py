"""Nothing packed is read outside the cage: a reader that is makes these fail."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pyarrow.parquet
import pytest

from annotation import imports
from evalapp import cage
from tests.annotation.imports import given

TABLES = {
    "xlsx": given.excel(["text"], ["A lake."]),
    "parquet": given.parquet(text=["A lake."]),
    "zip": given.packed(a__csv=b"text\nA lake.\n"),
    "zip of a workbook": given.packed(a__xlsx=given.excel(["text"], ["A lake."])),
    "zip of Parquet": given.packed(a__parquet=given.parquet(text=["A lake."])),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_packed_file_is_read_without_unpacking_anything_here(kind, monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", pytest.fail)
    monkeypatch.setattr(openpyxl, "load_workbook", pytest.fail)
    monkeypatch.setattr(pyarrow.parquet, "ParquetFile", pytest.fail)
    sheet = imports.read(format="columns", file=io.BytesIO(TABLES[kind]))
    assert [row.text for row in sheet.rows] == ["A lake."]


@pytest.mark.parametrize("kind", TABLES)
def test_what_the_cage_refuses_is_a_problem_of_the_file(kind, monkeypatch):
    def pieces(*args, **asked):
        raise cage.Refused("Too much.")
        yield

    monkeypatch.setattr("evalapp.cage.pieces", pieces)
    sheet = imports.check(format="columns", file=io.BytesIO(TABLES[kind]))
    assert sheet.problems.lines() == ["Too much."]
    assert sheet.problems.of_the_file
