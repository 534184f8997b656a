"""Zip files with tables in them, read one after the other. Pure."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from annotation.imports._problems import shown
from annotation.imports._source import Source
from annotation.imports.files._packed import DAMAGED, MOST_FILES, BadPack, check_pack
from annotation.imports.files._table import Record, Table, stop

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet")
FOLDER, NAME = "folder", "file"  # columns added where there are several files
Open = Callable[..., Table]


def table(source: Source, sheet: str, inside: Open) -> Table:
    found = _members(source)
    if len(found) == 1:
        one = _opened(source, found[0], sheet, inside)
        return Table(
            "zip", one.unit, one.columns, one.records, one.sheets, one.sheet, one.headed
        )
    first = _opened(source, found[0], "", inside)
    columns = [*first.columns, FOLDER, NAME]
    records = _all(source, found, first, inside)
    return Table("zip", "row", columns, records, headed=first.headed)


def _members(source: Source) -> list[zipfile.ZipInfo]:
    try:
        found = check_pack(
            source.file, most_bytes=source.limits.bytes, most_files=MOST_FILES
        )
    except BadPack as error:
        stop(source, str(error))
    names = [info for info in found if not _hidden(info.filename)]
    if any(info.filename.lower().endswith(".zip") for info in names):
        stop(source, "The zip file has another zip file in it: unpack that one first.")
    tables = [i for i in names if i.filename.lower().endswith(SUFFIXES)]
    if not tables:
        told = ", ".join(suffix[1:] for suffix in SUFFIXES)
        stop(source, f"The zip file has no table in it: it needs one of {told}.")
    suffix = PurePosixPath(tables[0].filename).suffix
    return [i for i in tables if PurePosixPath(i.filename).suffix == suffix]


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith((".", "__")) for part in parts)


def _opened(source: Source, info: zipfile.ZipInfo, sheet: str, inside: Open) -> Table:
    """Unpacked into a file of its own that nobody else sees; its bytes are counted."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    left = source.limits.bytes
    try:
        with zipfile.ZipFile(source.file) as pack, pack.open(info) as packed:
            while block := packed.read(1 << 16):
                left -= len(block)
                if left < 0:
                    raise BadPack("Unpacked, the file is larger than the limit.")
                copy.write(block)
    except BadPack as error:
        stop(source, str(error))
    except DAMAGED:
        stop(
            source, f"{shown(info.filename)} in the zip file is damaged: pack it again."
        )
    copy.seek(0)
    packed_in = Source(cast("BinaryIO", copy), source.limits, source.problems)
    found = inside(packed_in, sheet=sheet)
    if not packed_in.encoding.is_usual:
        source.encoding = packed_in.encoding
    return found


def _all(
    source: Source, found: list[zipfile.ZipInfo], first: Table, inside: Open
) -> Iterator[Record]:
    """Rows are counted through all files, as lines of each would say little."""
    number = 0
    for info in found:
        one = first if info is found[0] else _opened(source, info, "", inside)
        path = PurePosixPath(info.filename)
        where = {FOLDER: path.parent.name, NAME: path.name}
        for record in one.records:
            number += 1
            yield Record(number, {**record.cells, **where})
        source.read_so_far(info.header_offset)
