"""What a reader sends, counted on its way. Pure."""

from __future__ import annotations

import json
import os
from typing import Any

from evalapp.cage import frames

# Texts pack to a third, and a column may say the same for each of a hundred raters.
# What is packed more tightly than this is made to fill a disk.
MOST_RATIO = 1000
SMALL = 1 << 24  # bytes: so much may come out of any file


class Refused(Exception):
    """The message says why, for people."""


class Out:
    """Rows, bytes and events, in frames of some 64 kB."""

    def __init__(
        self,
        pipe: int,
        *,
        bytes: int,
        all_bytes: int,
        row_bytes: int,
        rows: int,
        columns: int,
        **others: int,
    ) -> None:
        self.bytes, self.all_bytes, self.row_bytes = bytes, all_bytes, row_bytes
        self.rows, self.columns = rows, columns
        self.done = 0  # bytes of the file that are read, more or less
        self._pipe, self._left, self._most = pipe, all_bytes, all_bytes
        self._waiting: list[str] = []
        self._n_waiting = 0

    def ratio(self, size: int) -> None:
        """Bound what may come out of a file of this size."""
        self._left = self._most = min(self.all_bytes, max(SMALL, MOST_RATIO * size))

    def event(self, **said: Any) -> None:
        self._flush()
        self._send(frames.packed(said))

    def row(self, number: int, cells: Any) -> None:
        text = json.dumps((number, cells), ensure_ascii=False)
        n = len(text.encode(*frames.UTF_8))
        if n > self.row_bytes:
            raise Refused(
                f"Row {number:,} is longer than {self.row_bytes:,} bytes, the limit for"
                " a row: leave out columns that are not needed, or shorten its texts."
            )
        self._count(n)
        self._waiting.append(text)
        self._n_waiting += n
        if self._n_waiting >= frames.AT_ONCE:
            self._flush()

    def block(self, block: bytes) -> None:
        self._flush()
        self._count(len(block))
        self._send(frames.packed_bytes(block))

    def end(self) -> None:
        self.event(end=True)

    def _count(self, n: int) -> None:
        self._left -= n
        if self._left >= 0:
            return
        if self._most < self.all_bytes:
            raise Refused(
                "Unpacked, this file would be far larger than it is now, which can fill"
                " the memory: save it as csv and choose that."
            )
        megabytes = self.all_bytes // 2**20
        raise Refused(
            f"Unpacked, the file is larger than {megabytes:,} MB, the limit: split it."
        )

    def _flush(self) -> None:
        if self._waiting:
            body = f'{{"done": {self.done}, "rows": [{", ".join(self._waiting)}]}}'
            self._waiting, self._n_waiting = [], 0
            block = body.encode(*frames.UTF_8)
            self._send(frames.HEAD.pack(frames.JSON, len(block)) + block)

    def _send(self, frame: bytes) -> None:
        left = memoryview(frame)
        while left:
            left = left[os.write(self._pipe, left) :]
