"""A folder as a zip file, piece by piece: never more than a piece is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

PIECE = 1 << 20  # bytes


class _Pipe:
    """What was written and not yet taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits here for more."""

    def take(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found


def pieces(folder: Path, name: str) -> Iterator[bytes]:
    """All files of the folder in one called `name`; the same bytes each time.

    Nothing gets smaller (level 0), as weights hardly would. It is called deflated all
    the same: other entries must tell their size before their bytes, for some programs.
    """
    pipe: Any = _Pipe()
    with ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=0) as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            # By name only: an entry has then no time, which differs from copy to copy.
            entry = f"{name}/{path.relative_to(folder).as_posix()}"
            with (
                path.open("rb") as file,
                archive.open(entry, "w", force_zip64=True) as out,
            ):
                while piece := file.read(PIECE):
                    out.write(piece)
                    yield pipe.take()
    yield pipe.take()
