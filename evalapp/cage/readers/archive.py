"""Zip files with tables in them, one after the other. Pure."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, BinaryIO

from evalapp.cage.packs import DAMAGED, MOST_FILES, BadPack, Budget, check_pack
from evalapp.cage.readers import excel, parquet
from evalapp.cage.readers._out import Out, Refused

BLOCK = 1 << 16
ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
NESTED = "The zip file has another zip file in it: unpack that one first."


def read(
    file: BinaryIO, out: Out, *, budget: Budget, sheet: str, suffixes: tuple[str, ...]
) -> None:
    found = _members(file, out, budget, suffixes)
    out.event(pack="zip", files=len(found))
    for info in found:
        out.done = info.header_offset
        try:
            with zipfile.ZipFile(file) as pack, pack.open(info) as packed:
                _member(info, packed, out, budget, sheet if len(found) == 1 else "")
        except DAMAGED as error:
            if isinstance(error, MemoryError):
                raise
            raise Refused(
                f"{_shown(info.filename)} in the zip file is damaged: pack it again."
            ) from error


def _members(
    file: BinaryIO, out: Out, budget: Budget, suffixes: tuple[str, ...]
) -> list[zipfile.ZipInfo]:
    try:
        found = check_pack(file, most_bytes=out.bytes, most_files=MOST_FILES)
        budget.spend(found)
    except BadPack as error:
        raise Refused(str(error)) from error
    seen = [info for info in found if not _hidden(info.filename)]
    if any(info.filename.lower().endswith(".zip") for info in seen):
        raise Refused(NESTED)
    tables = [i for i in seen if i.filename.lower().endswith(suffixes)]
    if not tables:
        told = ", ".join(suffix[1:] for suffix in suffixes)
        raise Refused(f"The zip file has no table in it: it needs one of {told}.")
    suffix = PurePosixPath(tables[0].filename).suffix
    return [i for i in tables if PurePosixPath(i.filename).suffix == suffix]


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith((".", "__")) for part in parts)


def _member(
    info: zipfile.ZipInfo, packed: IO[bytes], out: Out, budget: Budget, sheet: str
) -> None:
    """What it is, its first bytes say: a zip file may be called a.csv."""
    first = packed.read(BLOCK)
    if not first.startswith((ZIP, PARQUET)):
        out.event(file=info.filename, kind="text")
        for block in _from(first, packed, out.bytes):
            out.block(block)
        return
    whole = io.BytesIO(b"".join(_from(first, packed, out.bytes)))
    size = info.compress_size
    if first.startswith(PARQUET):
        parquet.read(whole, out, size=size, name=info.filename)
    elif excel.is_excel(whole):
        excel.read(
            whole, out, budget=budget, size=size, sheet=sheet, name=info.filename
        )
    else:
        raise Refused(NESTED)


def _from(first: bytes, packed: IO[bytes], most: int) -> Iterator[bytes]:
    """All blocks of a file, however long its directory says it is."""
    block = first
    while block:
        most -= len(block)
        if most < 0:
            raise Refused("Unpacked, the file is larger than the limit: split it.")
        yield block
        block = packed.read(BLOCK)


def _shown(name: str) -> str:
    """A name as it may stand in a sentence: short, on one line."""
    plain = "".join(char if char.isprintable() else "\ufffd" for char in name[:200])
    return f'"{plain[:60]}..."' if len(plain) > 60 else f'"{plain}"'
