"""Readers, called in this process: what they send of a file."""

from __future__ import annotations

import importlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from evalapp.cage import Limits, Refused, frames, readers

SUFFIXES = [".csv", ".jsonl", ".xlsx", ".parquet"]
LIMITS = Limits(bytes=1 << 26, row_bytes=1_280_000, rows=5_000_000)


def pieces(
    file: BinaryIO | Path, *, reader: str, limits: Limits, **asked: Any
) -> Iterator[Any]:
    """As `cage.pieces`, for tests that read many files: a child starts in 0.2 s."""
    content = file.read_bytes() if isinstance(file, Path) else file.read()
    try:
        yield from _sent(content, reader, limits, **asked)
    except readers.Refused as error:
        raise Refused(str(error)) from error


def sent(
    content: bytes, limits: Limits = LIMITS, sheet: str = "", **asked: Any
) -> list[Any]:
    """Objects and blocks, in order.

    Raises:
        readers.Refused: As the reader refuses the file.
    """
    asked = {"sheet": sheet, "suffixes": SUFFIXES, **asked}
    return list(_sent(content, "tables", limits, **asked))


def rows(content: bytes, **options: Any) -> list[list[Any]]:
    found = (one for one in sent(content, **options) if isinstance(one, dict))
    return [cells for one in found for _, cells in one.get("rows", ())]


def _sent(content: bytes, reader: str, limits: Limits, **asked: Any) -> Iterator[Any]:
    with tempfile.TemporaryFile() as pipe:
        told = {"bytes": limits.bytes, "all_bytes": limits.all_bytes}
        told |= {"rows": limits.rows, "columns": limits.columns}
        out = readers.Out(pipe.fileno(), row_bytes=limits.row_bytes, **told)
        read = importlib.import_module(f"evalapp.cage.readers.{reader}").read
        read(io.BytesIO(content), out, size=len(content), **asked)
        out.end()
        pipe.seek(0)
        yield from list(_frames(pipe.read()))[:-1]


def _frames(content: bytes) -> Iterator[Any]:
    while content:
        kind, size = frames.HEAD.unpack(content[: frames.HEAD.size])
        body = content[frames.HEAD.size : frames.HEAD.size + size]
        yield body if kind == frames.BYTES else frames.unpacked(body)
        content = content[frames.HEAD.size + size :]
