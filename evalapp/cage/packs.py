"""Zip files, looked at before anything of them is unpacked. Pure."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO

MOST_FILES = 200
MOST_RATIO = 200  # unpacked to packed: texts have 3 to 20, a bomb 1,000
SMALL = 1 << 20  # bytes: what is smaller may be packed as tightly as it likes
# What reading a damaged zip file can raise: each way of packing has errors of its own.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, ValueError, KeyError, IndexError),
    *(RuntimeError, NotImplementedError, MemoryError),  # LZMA may ask for 4 GB
)


class BadPack(ValueError):
    """The message says what is wrong, for people."""


@dataclass
class Budget:
    """What a file may hold on all its levels together: a workbook is a pack, too."""

    bytes: int
    files: int = 2000

    def spend(self, found: list[zipfile.ZipInfo]) -> None:
        """Take what a directory says. Of what it hides nothing is unpacked."""
        self.files -= len(found)
        self.bytes -= sum(info.file_size for info in found)
        if self.files < 0 or self.bytes < 0:
            raise BadPack(
                "The files in this zip file hold too much together: split it, or choose"
                " them one by one."
            )


def check_pack(
    file: BinaryIO, *, most_bytes: int, most_files: int = 2000
) -> list[zipfile.ZipInfo]:
    """Refuse bombs and protected files by what the directory says; return its files.

    What it says may be false: unpacking counts again.
    """
    try:
        with zipfile.ZipFile(file) as pack:
            found = [info for info in pack.infolist() if not info.is_dir()]
    except DAMAGED as error:
        raise BadPack(
            "This zip file cannot be read. It may be damaged: pack the files again."
        ) from error
    finally:
        file.seek(0)
    if len(found) > most_files:
        raise BadPack(
            f"The zip file has {len(found):,} files. The most it may have is"
            f" {most_files}."
        )
    if any(info.flag_bits & 1 for info in found):
        raise BadPack("The zip file is protected by a password: pack it without one.")
    if sum(info.file_size for info in found) > most_bytes:
        raise BadPack(
            f"Unpacked, the file is larger than {most_bytes // 2**20:,} MB, the limit:"
            " split it."
        )
    for info in found:
        tight = info.file_size > MOST_RATIO * max(1, info.compress_size)
        if info.file_size > SMALL and tight:
            raise BadPack(
                "Unpacked, this file would be far larger than it is now, which can fill"
                " the memory: unpack it and choose what is in it."
            )
    return found
