"""One file packed by gzip or Zstandard, as data sets are often handed on. Pure."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from evalapp.cage.readers import parquet
from evalapp.cage.readers._out import Out, Refused

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
TAR, TAR_AT = b"ustar", 257
BLOCK = 1 << 16
DAMAGED = "The compressed file is damaged or cut off: pack it again, or unpack it."
NESTED = "The compressed file holds another packed file: unpack it, and choose that."


def is_compressed(head: bytes) -> bool:
    return head.startswith((GZIP, ZSTD))


def read(file: BinaryIO, out: Out, *, size: int) -> None:
    head = file.read(len(ZSTD))
    file.seek(0)
    kind = "zstd" if head == ZSTD else "gzip"
    blocks = _blocks(_stream(file, kind), out.bytes)
    first = next(blocks, b"")
    if first.startswith((ZIP, GZIP, ZSTD)) or first[TAR_AT:].startswith(TAR):
        raise Refused(NESTED)
    out.event(pack=kind, files=1)
    if first.startswith(PARQUET):
        whole = io.BytesIO(b"".join([first, *blocks]))
        parquet.read(whole, out, size=size)
        return
    out.event(file="", kind="text")
    out.block(first)
    for block in blocks:
        out.done = min(size, file.tell())
        out.block(block)


def _stream(file: BinaryIO, kind: str) -> Any:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file)
    try:
        import pyarrow as pa  # here: others need not wait for it

        return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
    except (ImportError, NotImplementedError) as error:
        raise Refused(
            "The file is compressed with Zstandard, which cannot be read here: unpack"
            " it, or make a zip file."
        ) from error


def _blocks(stream: Any, most: int) -> Iterator[bytes]:
    """All of it, however much that is."""
    try:
        while block := stream.read(BLOCK):
            most -= len(block)
            if most < 0:
                raise Refused("Unpacked, the file is larger than the limit: split it.")
            yield bytes(block)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise Refused(DAMAGED) from error
