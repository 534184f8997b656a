"""Zip files with tables in them, one after the other. Pure."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, BinaryIO

from evalapp.cage import zstandard
from evalapp.cage.packs import DAMAGED, MOST_FILES, BadPack, Budget, check_pack
from evalapp.cage.readers import excel, parquet
from evalapp.cage.readers._out import Out, Refused

BLOCK = 1 << 16
HEAD = 20  # rows
ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
NESTED = "The zip file has another zip file in it: unpack that one first."


def read(
    file: BinaryIO,
    out: Out,
    *,
    budget: Budget,
    sheet: str,
    suffixes: tuple[str, ...],
    names: Collection[str] = (),
    heads: bool = False,
    only: Collection[int] = (),
) -> None:
    """Send its files one after the other.

    Args:
        file: The zip file.
        out: Where they go.
        budget: What it may hold on all levels.
        sheet: To read in a workbook, if that is the only file.
        suffixes: Of files that may be tables.
        names: Names of columns, by which a sheet is chosen.
        heads: Where there are several, send the beginning of each alone.
        only: Numbers of the files to send; none: all.
    """
    seen = _seen(file, out, budget)
    found = _tables(seen, suffixes)
    others = [info.filename for info in seen if info not in found]
    more: dict[str, Any] = {"others": others} if others and not only else {}
    heads = heads and len(found) > 1
    if heads:
        more["heads"] = True
    found = [one for n, one in enumerate(found) if not only or n in only]
    out.event(pack="zip", files=len(found), **more)
    sheet = sheet if len(found) == 1 else ""
    for number, info in enumerate(found):
        out.done = info.header_offset
        if heads:
            n_bytes = info.file_size
            out.event(member=number, name=info.filename, bytes=n_bytes)
        member = _Member(info, out, budget, sheet, names, HEAD if heads else 0)
        try:
            with zipfile.ZipFile(file) as pack, _opened(pack, file, info) as packed:
                member.read(packed)
        except DAMAGED as error:
            if isinstance(error, MemoryError):
                raise
            raise Refused(
                f"{_shown(info.filename)} in the zip file is damaged: pack it again."
            ) from error


def _seen(file: BinaryIO, out: Out, budget: Budget) -> list[zipfile.ZipInfo]:
    """But for what systems put beside the files of people."""
    try:
        found = check_pack(file, most_bytes=out.bytes, most_files=MOST_FILES)
        budget.spend(found)
    except BadPack as error:
        raise Refused(str(error)) from error
    seen = [info for info in found if not _hidden(info.filename)]
    if any(info.filename.lower().endswith(".zip") for info in seen):
        raise Refused(NESTED)
    return seen


def _tables(
    seen: list[zipfile.ZipInfo], suffixes: tuple[str, ...]
) -> list[zipfile.ZipInfo]:
    tables = [i for i in seen if i.filename.lower().endswith(suffixes)]
    if not tables:
        told = ", ".join(suffix[1:] for suffix in suffixes)
        raise Refused(f"The zip file has no table in it: it needs one of {told}.")
    return tables


def _opened(pack: zipfile.ZipFile, file: BinaryIO, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type == zstandard.METHOD:
        return zstandard.opened(file, info)
    return pack.open(info)


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith((".", "__")) for part in parts)


@dataclass(frozen=True)
class _Member:
    info: zipfile.ZipInfo
    out: Out
    budget: Budget
    sheet: str
    names: Collection[str]
    most: int  # rows of a table, and blocks of a text; 0: all

    def read(self, packed: IO[bytes]) -> None:
        """What it is, its first bytes say: a zip file may be called a.csv."""
        first = packed.read(BLOCK)
        if not first.startswith((ZIP, PARQUET)):
            self._text(first, packed)
            return
        whole = io.BytesIO(b"".join(_from(first, packed, self.out.bytes)))
        if first.startswith(ZIP) and not excel.is_excel(whole):
            raise Refused(NESTED)
        try:
            self._table(whole, is_parquet=first.startswith(PARQUET))
        except Refused:
            if not self.most:
                raise  # else it may be one that nobody wants

    def _text(self, first: bytes, packed: IO[bytes]) -> None:
        out, name, n = self.out, self.info.filename, self.info.file_size
        if self.most:
            out.event(file=name, kind="text", whole=n <= len(first))
            out.block(first)
            return
        out.event(file=name, kind="text")
        for block in _from(first, packed, out.bytes):
            out.block(block)

    def _table(self, whole: BinaryIO, *, is_parquet: bool) -> None:
        told: dict[str, Any] = {
            "size": self.info.compress_size,
            "name": self.info.filename,
            "most": self.most,
        }
        if is_parquet:
            parquet.read(whole, self.out, **told)
        else:
            told |= {"budget": self.budget, "names": self.names}
            excel.read(whole, self.out, sheet=self.sheet, **told)


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
