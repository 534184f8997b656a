"""Zip and gzip files, workbooks, Parquet files: read in a cage, never here. Pure.

The child sends what is in them file by file (`evalapp.cage.readers.tables` says how).
Rows become a table here, and a file of text is read here as if it had not been packed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from annotation.imports import _names
from annotation.imports._source import Limits, Source
from annotation.imports.files import _header, _members, _people, excel, parquet
from annotation.imports.files._table import (
    MOST_COLUMNS,
    PART,
    Record,
    Table,
    names,
    stop,
)
from evalapp import cage

ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")
FOLDER, NAME = "folder", "file"  # columns added where there are several files
Open = Callable[[Source], Table]


def is_packed(head: bytes) -> bool:
    return head.startswith((ZIP, PARQUET, GZIP, ZSTD))


def table(source: Source, sheet: str, opened: Open) -> Table:
    """The table of a packed file; `opened` reads a file of text that is in it."""
    source.whole()
    pack = _Pack(source, sheet, heads=True)
    if pack.about.get("heads"):
        pack = _chosen(pack, source, sheet, opened)
    else:
        pack.notes += _members.not_read(pack.about.get("others", []))
    first = _opened(pack, source, opened)
    n_left = pack.n_files - 1
    while n_left and _people.is_export(first.columns):
        source.people |= _people.statuses(first, source.account)
        first, n_left = _opened(pack, source, opened), n_left - 1
    first.notes[:0] = pack.notes
    pack.notes = first.notes  # both may find more while one reads
    if pack.n_files == 1:
        first.kind = "zip" if pack.kind == "zip" else first.kind
        return first
    own: tuple[str, ...] = (FOLDER, NAME) if pack.kind == "zip" else ()
    own += () if PART in first.columns else (PART,)
    return replace(
        first,
        kind=pack.kind,
        unit="row",
        columns=[*first.columns, *own],
        records=_all(pack, source, first, opened, n_left),
        sheets=[] if pack.kind == "zip" else first.sheets,
        sheet="",
        own=own,
        questions=None,
    )


def _chosen(heads: _Pack, source: Source, sheet: str, opened: Open) -> _Pack:
    """The files that belong together, once the beginning of each has been seen."""
    members = list(_looked_at(heads, source, opened))
    found = _members.chosen(members)
    pack = _Pack(source, sheet, only=[one.number for one in found])
    others = [one.name for one in members if one not in found]
    pack.notes += _members.not_read([*others, *heads.about.get("others", [])])
    pack.parts = _members.part_names([one.name for one in found])
    return pack


def _looked_at(heads: _Pack, source: Source, opened: Open) -> Iterator[_members.Member]:
    while about := heads.file():
        number, name = about["member"], about["name"]
        if not heads.is_readable:
            yield _members.Member(number, name)
            continue
        about |= heads.file()
        if about["kind"] == "text":
            content = b"".join(heads.blocks())
            yield _members.of_text(number, about, content, source.limits, opened)
            continue
        rows = list(heads.rows())
        columns = about.get("columns") or names(_header.found(iter(rows), "row").cells)
        n_bytes = int(about["bytes"])
        yield _members.of_columns(number, name, about["kind"], columns, n_bytes)


class _Pack:
    """What the child sends, in order."""

    def __init__(self, source: Source, sheet: str, **asked: Any) -> None:
        self._source = source
        self._pieces = cage.pieces(
            source.file,
            reader="tables",
            limits=_limits(source.limits),
            sheet=sheet,
            suffixes=SUFFIXES,
            names=sorted(_names.known_names()),
            **asked,
        )
        self.notes: list[str] = []
        self.about: dict[str, Any] = self._take()
        self.kind, self.n_files = self.about["pack"], int(self.about["files"])
        self.name, self.sheet = PurePosixPath(), ""
        self.parts: dict[str, str] = {}  # by name of a file
        self._next: Any = self._take()

    def _take(self) -> Any:
        try:
            found = next(self._pieces, None)
            while isinstance(found, dict) and "note" in found:
                self.notes.append(found["note"])
                found = next(self._pieces, None)
        except cage.Refused as error:
            stop(self._source, str(error))
        return found

    @property
    def is_readable(self) -> bool:
        """Whether a file comes now."""
        return isinstance(self._next, dict) and "file" in self._next

    def file(self) -> dict[str, Any]:
        """What is said of the file that comes now; nothing: there is none."""
        found: dict[str, Any] = self._next or {}
        self.name = PurePosixPath(found.get("file", ""))
        self.sheet = str(found.get("sheet", ""))
        self.n_files = max(self.n_files, int(found.get("alike", 1)))
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


def _all(
    pack: _Pack, source: Source, first: Table, opened: Open, n_left: int
) -> Iterator[Record]:
    """Rows are counted through all files, as lines of each would say little."""
    number = 0
    for n in range(n_left + 1):
        one = first if n == 0 else _opened(pack, source, opened)
        if n and _people.is_export(one.columns):
            source.people |= _people.statuses(one, source.account)
            continue
        part, where = pack.sheet, {}
        if pack.kind == "zip":
            part = pack.parts.get(str(pack.name), "")
            where = {FOLDER: pack.name.parent.name, NAME: pack.name.name}
        for record in one.records:
            number += 1
            yield Record(number, {PART: part, **record.cells, **where})
        if n:
            first.notes += [note for note in one.notes if note not in first.notes]
