"""Workbooks of Excel (xlsx): values only, and no more of them than is allowed. Pure."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.imports._problems import shown
from annotation.imports._source import Source
from annotation.imports.files._packed import DAMAGED, BadPack, check_pack
from annotation.imports.files._table import (
    MOST_COLUMNS,
    Record,
    Table,
    check_columns,
    names,
    stop,
)

PROTECTED = "EncryptedPackage".encode("utf-16-le")
WORKBOOK = "xl/workbook.xml"
NO_VALUE = ("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")
CORRUPT = (
    "This Excel file cannot be read. It may be damaged: open it in Excel, save it again"
    " and choose the new file."
)


def is_excel(file: BinaryIO) -> bool:
    try:
        with zipfile.ZipFile(file) as pack:
            return WORKBOOK in pack.namelist()
    except DAMAGED:
        return False
    finally:
        file.seek(0)


def refuse_old(source: Source) -> None:
    """A file that begins as Excel's files did until 2003, or a protected one."""
    if PROTECTED in source.file.read(source.limits.bytes):
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


def table(source: Source, size: int, sheet: str) -> Table:
    from openpyxl import load_workbook  # here: half a second that others need not wait

    try:
        check_pack(source.file, most_bytes=4 * source.limits.bytes)
        book = load_workbook(
            source.file, read_only=True, data_only=True, keep_links=False
        )
        sheets = [one.title for one in book.worksheets]
    except BadPack as error:
        stop(source, str(error))
    except Exception:  # whatever XML, zip or a missing part can raise
        stop(source, CORRUPT)
    if not sheets:
        stop(source, "The workbook has no sheet with any cells.")
    if sheet and sheet not in sheets:
        told = ", ".join(shown(one) for one in sheets[:10])
        stop(source, f"There is no sheet {shown(sheet)}: choose one of {told}.")
    chosen = sheet or sheets[0]
    rows = _rows(book[chosen], source, size)
    columns, headed = names(next(rows, (1, []))[1]), True
    check_columns(columns, source)
    if not columns:
        told = "Choose another sheet." if len(sheets) > 1 else "Choose another file."
        if not any(True for _ in rows):
            source.problems.add(f"The sheet {shown(chosen)} is empty. {told}")
    records = _records(rows, columns)
    return Table("xlsx", "row", columns, records, sheets, chosen, headed)


def _rows(sheet: Any, source: Source, size: int) -> Iterator[tuple[int, list[Any]]]:
    """Rows that have a value. The declared size of a sheet may be anything."""
    sheet.reset_dimensions()
    n_rows = 0
    try:
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            if number > source.limits.lines:
                stop(source, f"The sheet has more than {number - 1:,} rows: split it.")
            if len(cells) > MOST_COLUMNS and any(
                cell is not None for cell in cells[MOST_COLUMNS:]
            ):
                stop(source, f"The sheet has more than {MOST_COLUMNS:,} columns.")
            values = [_plain(cell) for cell in cells[:MOST_COLUMNS]]
            if any(value is not None for value in values):
                n_rows += 1
                if n_rows % 500 == 0:  # how many there are is not known: a guess
                    source.read_so_far(min(size, n_rows * 200))
                yield number, values
    except (*DAMAGED, TypeError, AttributeError, SyntaxError, OverflowError):
        stop(source, CORRUPT)


def _records(
    rows: Iterator[tuple[int, list[Any]]], columns: list[str]
) -> Iterator[Record]:
    while columns and columns[-1].startswith("column "):
        columns.pop()  # cells that are only formatted, right of the table
    width = len(columns)
    for number, values in rows:
        values += [None] * (width - len(values))
        yield Record(number, dict(zip(columns, values[:width], strict=True)))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    text = str(value).replace("_x000D_\n", "\n")
    return None if text in NO_VALUE else text
