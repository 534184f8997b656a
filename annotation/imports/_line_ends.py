r"""Lines that end in \n, \r\n or \r: of old Macs, and of programs that mix. Pure."""

from __future__ import annotations

from collections import deque
from typing import BinaryIO

BLOCK = 1 << 16


class AnyEnds:
    r"""`readline` as files have it, which know \n alone. Bytes are passed unchanged."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._rest = file, b""
        self._lines: deque[bytes] = deque()

    def readline(self, most: int) -> bytes:
        """A line, or `most` bytes of a longer one."""
        while not self._lines and len(self._rest) <= most:
            block = self._file.read(BLOCK)
            pieces = (self._rest + block).splitlines(keepends=True)
            # What follows may belong to the last line, or be the \n of its \r.
            self._rest = pieces.pop() if block and pieces[-1][-1:] != b"\n" else b""
            self._lines.extend(pieces)
            if not block:
                break
        if not self._lines:
            line, self._rest = self._rest[:most], self._rest[most:]
            return line
        line = self._lines.popleft()
        if len(line) > most:
            self._lines.appendleft(line[most:])
        return line[:most]
