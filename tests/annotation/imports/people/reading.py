"""What becomes of a file: its columns, its cells and the notes on it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from annotation import imports
from annotation.imports import files

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
