"""Workbooks of Excel (xlsx): values only, and no more of them than is allowed. Pure."""

from __future__ import annotations

import datetime
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, BinaryIO

from evalapp.cage.packs import DAMAGED, BadPack, Budget, check_pack
from evalapp.cage.readers import _sheets
from evalapp.cage.readers._out import Out, Refused

WORKBOOK, STRINGS = "xl/workbook.xml", "xl/sharedStrings.xml"
MOST_STRINGS = 1_000_000  # different texts: all are read before the first row
BLOCK = 1 << 20
HEADERS = 20  # rows in which a header is looked for
_WORDS = re.compile(r"[^\W_]+")
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
    file: BinaryIO,
    out: Out,
    *,
    budget: Budget,
    size: int,
    sheet: str,
    name: str = "",
    names: Collection[str] = (),
    most: int = 0,
    several: bool = False,
) -> None:
    """Send the rows of a sheet, or of several that are alike.

    Args:
        file: The workbook.
        out: Where they go.
        budget: What it may hold on all levels.
        size: Of the file.
        sheet: Its name; empty: the one that holds most.
        name: Of the file.
        names: Names of columns, in small letters, by which a header is known.
        most: Rows to send; 0: all.
        several: Send all sheets with the columns of the one that holds most, if no
            sheet is named.
    """
    try:
        budget.spend(check_pack(file, most_bytes=out.all_bytes))
        _check_strings(file)
        book = _book(file)
        sheets = [one.title for one in book.worksheets]
        chosen = sheet or _fullest(book, names)
        alike = _alike(book, chosen, names) if several and not sheet else [chosen]
    except BadPack as error:
        raise Refused(str(error)) from error
    except (Refused, MemoryError):
        raise
    except Exception as error:  # whatever XML, zip or a missing part can raise
        raise Refused(CORRUPT) from error
    if not sheets:
        raise Refused("The workbook has no sheet with any cells.")
    if chosen not in sheets:
        told = ", ".join(f'"{one[:60]}"' for one in sheets[:10])
        raise Refused(f'There is no sheet "{sheet[:60]}": choose one of {told}.')
    more = {"alike": len(alike)} if len(alike) > 1 else {}
    for title in alike:
        out.event(file=name, kind="xlsx", sheets=sheets[:1000], sheet=title, **more)
        _send(book[title], out, size, most)
    if not sheet and len(sheets) > len(alike):
        out.event(note=_said(alike))


def _said(alike: list[str]) -> str:
    if len(alike) == 1:
        return f'The sheet "{alike[0][:60]}" was read, which holds the most.'
    told = ", ".join(f'"{title[:60]}"' for title in alike[:10])
    more = f" and {len(alike) - 10} more" if len(alike) > 10 else ""
    return f"These sheets were read, which have the same columns: {told}{more}."


def _send(sheet: Any, out: Out, size: int, most: int) -> None:
    start, formulas = out.done, Formulas()
    for n, (number, values) in enumerate(_rows(sheet, out, formulas)):
        if n and n == most:
            break
        out.done = start + min(size, n * 200)  # how many there are is not known
        out.row(number, values)
    if formulas.n_empty and not most:
        out.event(note=formulas.said())


def _book(file: BinaryIO) -> Any:
    from openpyxl import load_workbook  # here: others need not wait for it

    return load_workbook(file, read_only=True, data_only=True, keep_links=False)


def _fullest(book: Any, names: Collection[str]) -> str:
    """The sheet with a known header and the most values, whichever place it has."""
    seen = [one for one in book.worksheets if one.sheet_state == "visible"]
    seen = seen or book.worksheets
    if len(seen) < 2:
        return str(seen[0].title) if seen else ""

    def holds(sheet: Any) -> tuple[bool, tuple[int, int]]:
        with sheet._get_source() as xml:
            n = _sheets.n_values(xml)
        return any(n) and _has_header(sheet, names), n

    return str(max(seen, key=holds).title)


def _alike(book: Any, chosen: str, names: Collection[str]) -> list[str]:
    """The sheets with its columns, but for one: an aspect's, or comments.

    The column with the longest cells is in all of them: a summary has no texts.
    """
    if not chosen:
        return []
    header, longest = _header(book[chosen], names)
    found = []
    for sheet in book.worksheets:
        other, _ = _header(sheet, names) if sheet.sheet_state == "visible" else ([], "")
        alone = [set(header) - set(other), set(other) - set(header)]
        is_like = longest in other and all(len(some) < 2 for some in alone)
        if sheet.title == chosen or is_like:
            found.append(str(sheet.title))
    return found


def _has_header(sheet: Any, names: Collection[str]) -> bool:
    return bool(_header(sheet, names)[0])


def _header(sheet: Any, names: Collection[str]) -> tuple[list[str], str]:
    """The words of the first row in which columns are named, and of that with the
    longest cells below; none: there is no such row."""
    header: dict[int, str] = {}
    lengths: Counter[int] = Counter()
    for _, cells in islice(_parsed(sheet, Formulas()), HEADERS):
        told = {c["column"]: str(c["value"] or "") for c in cells[:1000]}
        if header:
            lengths.update({place: len(told.get(place, "")) for place in header})
            continue
        words = {n: " ".join(_WORDS.findall(t[:60].lower())) for n, t in told.items()}
        if sum(word in names for word in words.values()) > 1:
            header = {place: word for place, word in words.items() if word}
    if not header:
        return [], ""
    return list(header.values()), header[max(header, key=lambda n: lengths[n])]


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


class Formulas:
    """Counts those without a value: no program has computed it yet."""

    n_empty = 0

    def said(self) -> str:
        n = self.n_empty
        told = "1 formula has" if n == 1 else f"{n:,} formulas have"
        return (
            f"{told} no computed value and count as empty: open the file in Excel, save"
            " it and choose it again."
        )


def _parsed(sheet: Any, formulas: Formulas) -> Iterator[tuple[int, list[Any]]]:
    """Rows and their cells as they are in the file.

    openpyxl's own rows are as wide as their last cell: one empty cell at the right end
    of a sheet stands for 16,384.
    """
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    class Parser(WorkSheetParser):  # type: ignore[misc]
        def parse_cell(self, element: Any) -> Any:
            cell = super().parse_cell(element)
            if cell["value"] is None and element.get("t") != "str":
                formulas.n_empty += element.find(FORMULA_TAG) is not None
            return cell

    book, last = sheet.parent, 0
    with sheet._get_source() as xml:
        parser = Parser(
            xml,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for number, cells in parser.parse():
            if number > last:
                last = number
                yield number, cells


def _rows(sheet: Any, out: Out, formulas: Formulas) -> Iterator[tuple[int, list[Any]]]:
    """Rows that have a value. The declared size of a sheet may be anything."""
    n_cells = 0
    try:
        with sheet._get_source() as xml:
            merged = _sheets.Merged(_sheets.regions(xml, out.columns))
        for number, cells in _parsed(sheet, formulas):
            values = _values(cells, out.columns)
            if values:
                merged.fill(number, values)
            n_cells += max(len(cells), len(values))
            if max(number, n_cells // 10) > out.rows:
                raise Refused(
                    f"The sheet has more than {out.rows:,} rows, or ten times as many"
                    " cells: split it."
                )
            if values:
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
