"""What the XML of a sheet says beside its cells: merged regions, and how full it is.

Read as bytes, in blocks: openpyxl tells neither while it streams, and a list of merged
regions stands behind all the cells. Pure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from evalapp.cage.readers._out import Refused

BLOCK = 1 << 20
TAG = 1 << 10  # bytes: a tag of a merged region is shorter
MOST_REGIONS = 100_000
MOST_WIDTH = 1_000_000  # columns of all regions together
# Nothing goes over the next tag: a sheet of unclosed ones kept a pattern busy.
_REGION = re.compile(
    r"<(?:\w{1,20}:)?mergeCell\b[^<>]{0,200}?\bref\s{0,9}=\s{0,9}[\"\']"
    r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"\']",
    re.ASCII,
)
_VALUE = re.compile(r"<(?:\w{1,20}:)?(?:v|is)[\s>]", re.ASCII)
_ROW = re.compile(r"<(?:\w{1,20}:)?row[\s>]", re.ASCII)
TOO_MANY = "The sheet has too many merged cells: save it as csv and choose that."


class Region(NamedTuple):
    top: int
    left: int
    bottom: int
    right: int


def regions(sheet: IO[bytes], most_columns: int) -> list[Region]:
    """Merged regions, those within a cell left out. Bounded, whatever is written."""
    found, width, end = list[Region](), 0, ""
    while block := sheet.read(BLOCK):
        text, at = end + block.decode("latin-1"), 0
        for one in _REGION.finditer(text):
            at = one.end()
            region = _region(one, most_columns)
            width += max(0, region.right - region.left + 1)
            found.append(region)
            if len(found) > MOST_REGIONS or width > MOST_WIDTH:
                raise Refused(TOO_MANY)
        end = text[max(at, len(text) - TAG) :]
    return found


def _region(found: re.Match[str], most_columns: int) -> Region:
    left, top, right, bottom = found.groups()
    return Region(
        int(top), _column(left), int(bottom), min(_column(right), most_columns)
    )


def _column(letters: str) -> int:
    """A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


class Merged:
    """Gives all cells of a merged region the value of its first.

    Excel keeps it there alone, so 24 of 32 texts had lost their prompt. Rows that have
    no value of their own stay empty: a region may go down to the last row of a sheet.
    """

    def __init__(self, found: Iterable[Region]) -> None:
        self._next = deque(sorted(found))
        self._over: dict[int, tuple[int, Any]] = {}  # last row and value, by column

    def fill(self, number: int, values: list[Any]) -> None:
        """Complete a row; rows come in order."""
        if not self._next and not self._over:
            return
        while self._next and self._next[0].top <= number:
            self._begin(self._next.popleft(), number, values)
        for column, (bottom, value) in list(self._over.items()):
            if bottom < number:
                del self._over[column]
                continue
            values += [None] * (column - len(values))
            if values[column - 1] is None:
                values[column - 1] = value

    def _begin(self, region: Region, number: int, values: list[Any]) -> None:
        if region.top < number or region.left > len(values):
            return  # its first cell is empty
        if (value := values[region.left - 1]) is not None:
            for column in range(region.left, region.right + 1):
                self._over[column] = (region.bottom, value)


def n_values(sheet: IO[bytes]) -> tuple[int, int]:
    """Cells with a value: in rows that have two or more, as notes have one, and all."""
    in_tables = n_all = 0
    for n in _by_row(sheet):
        n_all += n
        in_tables += n if n > 1 else 0
    return in_tables, n_all


def _by_row(sheet: IO[bytes]) -> Iterator[int]:
    n, end = 0, ""
    while block := sheet.read(BLOCK):
        text = end + block.decode("latin-1")
        cut = text.rfind("<")  # a tag may be cut in two
        text, end = (text[:cut], text[cut:]) if cut > 0 else (text, "")
        first, *others = _ROW.split(text)
        n += len(_VALUE.findall(first))
        for row in others:
            yield n
            n = len(_VALUE.findall(row))
    yield n + len(_VALUE.findall(end))
