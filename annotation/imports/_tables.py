"""Records of a csv file, with the line each begins on. Pure."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import Any, NamedTuple

from annotation.imports import _dialects
from annotation.imports._problems import Problems, Unreadable, shown
from annotation.imports._source import Source

MOST_COLUMNS = 1000


class Record(NamedTuple):
    line: int  # where it begins: a quoted text may go over several
    cells: dict[str, str]


def table(
    source: Source,
    problems: Problems,
    *,
    required: Collection[str],
    vital: Collection[str],
    known: Callable[[str], bool],
    names: str,
) -> Iterator[Record]:
    """Yield the records below the header line.

    Columns are separated by commas, semicolons, tabs or bars. A missing `required`
    column is a problem; without a `vital` one nothing else can be checked. Unknown
    columns are problems too: they are typing errors, or data that would be lost;
    `names` says what there is.
    """
    lines = Lines(source)
    dialect = lines.dialect()
    reader = dialect.reader(lines)
    header: list[str] = []
    for line, cells in records(reader, problems, skip=dialect.skip):
        if not header:
            header = [plain_name(cell) for cell in cells]
            check_header(header, problems, line, required, vital, known, names)
        elif len(cells) != len(header):
            problems.add(
                f"{len(cells)} cells, but the header line names {len(header)}", line
            )
        else:
            yield Record(line, dict(zip(header, cells, strict=True)))


class Lines:
    """The decoded lines, the first of which can be looked at beforehand."""

    def __init__(self, source: Source) -> None:
        self._lines = (line for _, line in source.lines(any_end=True))
        self._first: list[str] = []
        self.n_bare = self.n_usual = 0  # that end in \r alone, and in \n

    def dialect(self) -> _dialects.Dialect:
        left = _dialects.PEEK
        while left > 0 and (line := next(self._lines, "")):
            self._first.append(line)
            left -= len(line)
        return _dialects.recognised(self._first, whole=left > 0)

    def __iter__(self) -> Iterator[str]:
        for line in chain(self._first, self._lines):
            self.n_bare += line.endswith("\r")
            self.n_usual += line.endswith("\n")
            yield line


def records(
    reader: Any, problems: Problems, *, skip: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Numbered by the line on which each begins; with `skip`, but for the first."""
    if skip:
        next(reader, None)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.add(f"cannot be read as csv: {_said(error)}", line)
            # A quote that is never closed swallows all that follows.
            if "field larger" in str(error):
                raise Unreadable from error
        else:
            if any(cell and not cell.isspace() for cell in cells):
                yield line, cells


def _said(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message or "field larger" in message:
        return "a quotation mark is never closed, or a text is far too long"
    if "new-line character" in message:
        return "a cell without quotes contains a carriage return"
    return f"{message} (write a quotation mark inside a text twice)"


def plain_name(cell: str) -> str:
    """Column names in any case; what follows a colon is the researcher's own."""
    head, colon, rest = cell.strip().partition(":")
    return head.lower() + colon + rest


def check_header(
    header: list[str],
    problems: Problems,
    line: int,
    required: Collection[str],
    vital: Collection[str],
    known: Callable[[str], bool],
    names: str,
) -> None:
    if len(header) > MOST_COLUMNS:
        problems.add(f"{len(header):,} columns; the most is {MOST_COLUMNS:,}", line)
        raise Unreadable
    for name, n in Counter(header).items():
        if n > 1:
            problems.add(f"column {shown(name)} occurs twice", line)
        if not known(name):
            problems.add(f"unknown column {shown(name)}; there are {names}", line)
    missing = [name for name in required if name not in header]
    for name in missing:
        problems.add(f"column {shown(name)} is missing", line)
    if set(missing) & set(vital):
        raise Unreadable
