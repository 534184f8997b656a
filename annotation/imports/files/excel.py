"""Sheets of Excel's workbooks as tables, and the files of Excel that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.imports._problems import shown
from annotation.imports._source import Source
from annotation.imports.files import _header
from annotation.imports.files._table import (
    Record,
    Table,
    check_columns,
    names,
    questions_of,
    stop,
)

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # old Excel files, and protected new ones
PROTECTED = "EncryptedPackage".encode("utf-16-le")
BLOCK = 1 << 20
Rows = Iterator[tuple[int, list[Any]]]


def refuse_old(source: Source) -> None:
    """A file that begins as Excel's files did until 2003, or a protected one."""
    if _holds(source.file, PROTECTED):
        stop(
            source,
            "The Excel file is protected by a password: remove the password in Excel,"
            " save it and choose it again.",
        )
    stop(
        source,
        "This is an old Excel file (xls): open it in Excel, save it as xlsx and choose"
        " it again.",
    )


def _holds(file: BinaryIO, words: bytes) -> bool:
    """Whether the file has these bytes; looked for in pieces, as it may be large."""
    end = b""
    while block := file.read(BLOCK):
        if words in end + block:
            return True
        end = block[-len(words) :]
    return False


def table(rows: Rows, sheets: list[str], sheet: str, source: Source) -> Table:
    """Of numbered rows with a value, one or two of which name the columns."""
    head = _header.found(rows, "row")
    columns = names(head.cells)
    check_columns(columns, source)
    if not columns:
        told = "Choose another sheet." if len(sheets) > 1 else "Choose another file."
        source.problems.add(f"The sheet {shown(sheet)} is empty. {told}")
    rows = _header.without_repeats(head.rows, columns, "row", head.notes)
    records = _records(rows, columns)
    asked = questions_of(head.questions, columns)
    return Table(
        *("xlsx", "row", columns, records, sheets, sheet),
        headed=head.headed,
        doubtful=head.doubtful,
        questions=asked,
        notes=head.notes,
    )


def _records(rows: Rows, columns: list[str]) -> Iterator[Record]:
    width = len(columns)
    for number, values in rows:
        values += [None] * (width - len(values))
        cells = dict(zip(columns, values[:width], strict=True))
        for place, value in enumerate(values[width:], start=width + 1):
            if value is not None:  # right of the header: it has no name, but is there
                cells[f"column {place}"] = value
        yield Record(number, cells)
