"""A table of known columns in a file of any kind. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from annotation.imports import files
from annotation.imports._problems import Problems, shown
from annotation.imports._source import Source
from annotation.imports._tables import Record, check_header, plain_name, table


def any_table(
    source: Source,
    problems: Problems,
    *,
    required: Collection[str],
    vital: Collection[str],
    known: Callable[[str], bool],
    names: str,
) -> Iterator[Record]:
    """As `table`, also of workbooks, JSON lines and the like."""
    if files.is_delimited(source):
        yield from table(
            source, problems, required=required, vital=vital, known=known, names=names
        )
        return
    opened = files.opened(source)
    header = [plain_name(name) for name in opened.columns]
    check_header(header, problems, 1, required, vital, known, names)
    seen = set(header)
    for line, values in opened.records:
        cells = {plain_name(name): _text(value) for name, value in values.items()}
        for name in cells.keys() - seen:  # objects may have fields of their own
            seen.add(name)
            if not known(name):
                problems.add(f"unknown column {shown(name)}; there are {names}", line)
        yield Record(line, {**dict.fromkeys(required, ""), **cells})


def _text(value: Any) -> str:
    return "" if value is None else str(value)
