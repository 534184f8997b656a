"""Workbooks of Excel (xlsx): values only, and no more of them than is allowed. Pure."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from evalapp.cage.packs import DAMAGED, BadPack, Budget, check_pack
from evalapp.cage.readers._out import Out, Refused

WORKBOOK, STRINGS = "xl/workbook.xml", "xl/sharedStrings.xml"
MOST_STRINGS = 1_000_000  # different texts: all are read before the first row
BLOCK = 1 << 20
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


def read(
    file: BinaryIO, out: Out, *, budget: Budget, size: int, sheet: str, name: str = ""
) -> None:
    try:
        budget.spend(check_pack(file, most_bytes=out.all_bytes))
        _check_strings(file)
        book = _book(file)
        sheets = [one.title for one in book.worksheets]
    except BadPack as error:
        raise Refused(str(error)) from error
    except (Refused, MemoryError):
        raise
    except Exception as error:  # whatever XML, zip or a missing part can raise
        raise Refused(CORRUPT) from error
    if not sheets:
        raise Refused("The workbook has no sheet with any cells.")
    if sheet and sheet not in sheets:
        told = ", ".join(f'"{one[:60]}"' for one in sheets[:10])
        raise Refused(f'There is no sheet "{sheet[:60]}": choose one of {told}.')
    chosen = sheet or sheets[0]
    out.event(file=name, kind="xlsx", sheets=sheets[:1000], sheet=chosen)
    start = out.done
    for n, (number, values) in enumerate(_rows(book[chosen], out)):
        out.done = start + min(size, n * 200)  # how many there are is not known
        out.row(number, values)


def _book(file: BinaryIO) -> Any:
    from openpyxl import load_workbook  # here: others need not wait for it

    return load_workbook(file, read_only=True, data_only=True, keep_links=False)


def _check_strings(file: BinaryIO) -> None:
    """Refuse more texts than a list of them has room for."""
    with zipfile.ZipFile(file) as pack:
        if STRINGS not in pack.namelist():
            return
        n_strings, end = 0, b""
        with pack.open(STRINGS) as texts:
            while block := texts.read(BLOCK):
                n_strings += (end + block).count(b"<si")
                end = block[-2:]  # shorter than what is counted
    file.seek(0)
    if n_strings > MOST_STRINGS:
        raise Refused(
            f"The workbook has more than {MOST_STRINGS:,} different texts: split it, or"
            " save it as csv."
        )


def _rows(sheet: Any, out: Out) -> Iterator[tuple[int, list[Any]]]:
    """Rows that have a value. The declared size of a sheet may be anything."""
    sheet.reset_dimensions()
    # Cells that are in the file, not a row as wide as its last: one empty cell at the
    # right end of a sheet stands for 16,384.
    sheet._get_row = lambda row, *others: row
    n_cells = 0
    try:
        for number, cells in enumerate(sheet.iter_rows(), start=1):
            n_cells += len(cells)
            if max(number, n_cells // 10) > out.rows:
                raise Refused(
                    f"The sheet has more than {out.rows:,} rows, or ten times as many"
                    " cells: split it."
                )
            if values := _values(cells, out.columns):
                yield number, values
    except (*DAMAGED, TypeError, AttributeError, SyntaxError, OverflowError) as error:
        if isinstance(error, MemoryError):
            raise
        raise Refused(CORRUPT) from error


def _values(cells: list[dict[str, Any]], most: int) -> list[Any]:
    """Up to the last that is not empty."""
    values: list[Any] = []
    for cell in cells:
        value = _plain(cell["value"])
        if value is None:
            continue
        column = cell["column"]
        if column > most:
            raise Refused(f"The sheet has more than {most:,} columns.")
        values += [None] * (column - len(values))
        values[column - 1] = value
    return values


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
