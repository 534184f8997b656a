"""Zip files, workbooks and Parquet files: read in a cage, never here. Pure.

The child sends what is in them file by file (`evalapp.cage.readers.tables` says how).
Rows become a table here, and a file of text is read here as if it had not been packed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from annotation.imports._source import Limits, Source
from annotation.imports.files import _header, excel, parquet
from annotation.imports.files._table import MOST_COLUMNS, Record, Table, stop
from evalapp import cage

ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")
FOLDER, NAME = "folder", "file"  # columns added where there are several files
Open = Callable[[Source], Table]


def is_packed(head: bytes) -> bool:
    return head.startswith((ZIP, PARQUET))


def table(source: Source, sheet: str, opened: Open) -> Table:
    """The table of a packed file; `opened` reads a file of text that is in it."""
    source.whole()
    pack = _Pack(source, sheet)
    first = _opened(pack, source, opened)
    pack.notes[:0], first.notes = first.notes, pack.notes  # more come while one reads
    if pack.kind != "zip":
        return first
    if pack.n_files == 1:
        first.kind = "zip"
        return first
    own = (FOLDER, NAME)
    records = _all(pack, source, first, opened)
    columns = [*first.columns, *own]
    return Table("zip", "row", columns, records, headed=first.headed, own=own)


class _Pack:
    """What the child sends, in order."""

    def __init__(self, source: Source, sheet: str) -> None:
        self._source = source
        self._pieces = cage.pieces(
            source.file,
            reader="tables",
            limits=_limits(source.limits),
            sheet=sheet,
            suffixes=SUFFIXES,
            names=sorted(_header.known_names()),
        )
        self.notes: list[str] = []
        self._next: Any = self._take()
        self.kind, self.n_files = self._next["pack"], int(self._next["files"])
        self._next = self._take()

    def _take(self) -> Any:
        try:
            found = next(self._pieces, None)
            while isinstance(found, dict) and "note" in found:
                self.notes.append(found["note"])
                found = next(self._pieces, None)
        except cage.Refused as error:
            stop(self._source, str(error))
        return found

    def file(self) -> dict[str, Any]:
        """What is said of the file that comes now."""
        found: dict[str, Any] = self._next
        self.name = PurePosixPath(found["file"])
        self._next = self._take()
        return found

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        while isinstance(self._next, dict) and "rows" in self._next:
            yield from self._next["rows"]
            self._source.read_so_far(self._next["done"])
            self._next = self._take()

    def blocks(self) -> Iterator[bytes]:
        while isinstance(self._next, bytes):
            yield self._next
            self._next = self._take()


def _limits(limits: Limits) -> cage.Limits:
    return cage.Limits(
        bytes=limits.bytes,
        row_bytes=limits.line_bytes,
        rows=limits.lines,
        columns=MOST_COLUMNS,
        seconds=limits.seconds,
        memory=limits.memory,
    )


def _opened(pack: _Pack, source: Source, opened: Open) -> Table:
    about = pack.file()
    if about["kind"] == "xlsx":
        sheets, sheet = about["sheets"], about["sheet"]
        return excel.table(pack.rows(), sheets, sheet, source)
    if about["kind"] == "parquet":
        return parquet.table(pack.rows(), about["columns"], source)
    copy = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115
    for block in pack.blocks():
        copy.write(block)
    copy.seek(0)
    unpacked = Source(copy, source.limits, source.problems)
    found = opened(unpacked)
    if not unpacked.encoding.is_usual:
        source.encoding = unpacked.encoding
    return found


def _all(pack: _Pack, source: Source, first: Table, opened: Open) -> Iterator[Record]:
    """Rows are counted through all files, as lines of each would say little."""
    number = 0
    for n in range(pack.n_files):
        one = first if n == 0 else _opened(pack, source, opened)
        where = {FOLDER: pack.name.parent.name, NAME: pack.name.name}
        for record in one.records:
            number += 1
            yield Record(number, {**record.cells, **where})
