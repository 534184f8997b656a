"""Tables of text: cells separated by commas, semicolons or tabs. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from annotation.imports import _tables
from annotation.imports._cells import number
from annotation.imports._source import Source
from annotation.imports.files._table import Record, Table, check_columns, names

PEEK = 1 << 18  # bytes


def table(source: Source) -> Table:
    """Columns are named in the first line, unless it has numbers."""
    plain = _is_plain(source)
    lines = _tables.Lines(source)
    delimiter = lines.delimiter()
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL,
    )
    found = _tables.records(reader, source.problems)
    line, header = next(found, (1, []))
    headed = not any(number(cell) is not None for cell in header)
    columns = names(header if headed else ("" for _ in header))
    check_columns(columns, source)
    rows = found if headed else chain([(line, header)], found)
    records = _records(rows, columns, source)
    return Table("csv", "line", columns, records, headed=headed)


def _is_plain(source: Source) -> bool:
    """Whether quotes are part of the texts: a tab file with as many tabs everywhere.

    Files of tabs are hardly ever quoted, and their texts may begin with a quote.
    """
    head = source.file.read(PEEK).splitlines()
    source.file.seek(0)
    tabs = {line.count(b"\t") for line in head[:-1] or head if line.strip()}
    return len(tabs) == 1 and tabs != {0} and head[0].count(b",") <= max(tabs)


def _records(
    rows: Iterator[tuple[int, list[str]]], columns: list[str], source: Source
) -> Iterator[Record]:
    for line, cells in rows:
        if len(cells) != len(columns):
            source.problems.add(
                f"has {len(cells)} cells, but the first line has {len(columns)}: put a"
                " text with the separator or a line break in it between quotes",
                line,
            )
        else:
            yield Record(line, dict(zip(columns, cells, strict=True)))
