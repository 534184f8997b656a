"""Tables of text: cells separated by commas, semicolons, tabs or bars. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.imports import _dialects, _tables
from annotation.imports._line_ends import AnyEnds
from annotation.imports._source import BOM, Source
from annotation.imports.files import _header
from annotation.imports.files._table import (
    Record,
    Table,
    check_columns,
    names,
    questions_of,
)

LINE = 1 << 20  # bytes of a line that are looked at for quotation marks


def table(source: Source) -> Table:
    """Columns are named in the header, if there is one."""
    dialect = _dialect(source)
    lines = _tables.Lines(source)
    rows = _tables.records(dialect.reader(lines), source.problems, skip=dialect.skip)
    head = _header.found(rows, "line", may_lack=True)
    columns = names(head.cells)
    check_columns(columns, source)
    notes = head.notes
    rows = _header.without_repeats(head.rows, columns, "line", notes)
    records = _checked(_records(rows, columns, source), columns, lines, source)
    if dialect.skip:
        notes.insert(0, "The first line names the separator of columns and is no data.")
    asked = questions_of(head.questions, columns)
    return Table(
        *("csv", "line", columns, records),
        headed=head.headed,
        doubtful=head.doubtful,
        questions=asked,
        notes=notes,
    )


def _dialect(source: Source) -> _dialects.Dialect:
    head = source.file.read(_dialects.PEEK)
    whole = not source.file.read(1)
    source.file.seek(0)
    pieces = head.removeprefix(BOM).splitlines(keepends=True)
    sample = [line.decode(errors="replace") for line in pieces]
    found = _dialects.recognised(sample, whole=whole)
    if found.delimiter not in _dialects.BARE or found.escaped:
        return found
    plain = _dialects.is_plain(lambda: _lines(source), found.delimiter)
    return found._replace(plain=plain)


def _lines(source: Source) -> Iterator[str]:
    """All of them, looked at before the file is read: its end may differ."""
    source.file.seek(0)
    readline = AnyEnds(source.file).readline
    while line := readline(LINE):
        yield line.decode(errors="replace").removeprefix("\ufeff")
    source.file.seek(0)


def _checked(
    records: Iterator[Record], columns: list[str], lines: _tables.Lines, source: Source
) -> Iterator[Record]:
    """In a file of one column nothing else shows that a text was cut in two."""
    yield from records
    if len(columns) == 1 and lines.n_bare and lines.n_usual:
        source.problems.add(
            "Some lines end in a carriage return alone, which may be in a text: write"
            " the file again, with texts in quotes."
        )


def _records(
    rows: Iterator[tuple[int, list[str]]], columns: list[str], source: Source
) -> Iterator[Record]:
    for line, cells in rows:
        if len(cells) > len(columns) and not any(cells[len(columns) :]):
            del cells[len(columns) :]  # a separator at the end of each line
        if len(cells) != len(columns):
            source.problems.add(
                f"has {len(cells)} cells, but the header has {len(columns)}: put a"
                " text with the separator or a line break in it between quotes",
                line,
            )
        else:
            yield Record(line, dict(zip(columns, cells, strict=True)))
