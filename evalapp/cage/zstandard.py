"""Members of zip files that are packed with Zstandard (method 93). Pure.

inspect_ai packs its logs so, and Python reads them only from 3.14 on. Arrow, which is
here for Parquet files, knows the packing; what the zip file says of a member is kept.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO

METHOD = 93
_LOCAL = struct.Struct("<4s22xHH")  # of the header before a member: the lengths
_MARK = b"PK\x03\x04"


class _Packed(io.RawIOBase):
    """The packed bytes of one member."""

    def __init__(self, file: BinaryIO, info: zipfile.ZipInfo) -> None:
        super().__init__()
        file.seek(info.header_offset)
        head = file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(_MARK):
            raise zipfile.BadZipFile("no file where its directory says")
        _, name, extra = _LOCAL.unpack(head)
        self._file = file
        self._at = info.header_offset + _LOCAL.size + name + extra
        self._left = info.compress_size

    def readable(self) -> bool:
        return True

    def read(self, most: int = -1) -> bytes:
        size = self._left if most < 0 else min(most, self._left)
        self._file.seek(self._at)
        found = self._file.read(size)
        self._at, self._left = self._at + len(found), self._left - size
        return found


class Member(io.RawIOBase):
    """The unpacked bytes of one member, never more than its directory promises.

    Raises:
        zipfile.BadZipFile: While it is read, if it is not what was packed.
        OSError: If it is not packed with Zstandard.
    """

    def __init__(self, file: BinaryIO, info: zipfile.ZipInfo) -> None:
        import pyarrow as pa  # here: it takes a while to load

        super().__init__()
        packed = pa.PythonFile(_Packed(file, info), mode="r")
        self._unpacked = pa.CompressedInputStream(packed, "zstd")
        self._left, self._promised, self._sum = info.file_size, info.CRC, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        found = self._unpacked.read(len(buffer))
        self._left -= len(found)
        self._sum = zlib.crc32(found, self._sum)
        is_over = not found and bool(buffer)
        if self._left < 0 or (is_over and self._left):
            raise zipfile.BadZipFile("a file is not as long as its directory says")
        if is_over and self._sum != self._promised:
            raise zipfile.BadZipFile("a file does not match its checksum")
        buffer[: len(found)] = found
        return len(found)


def opened(file: BinaryIO, info: zipfile.ZipInfo) -> io.BufferedReader:
    return io.BufferedReader(Member(file, info))
