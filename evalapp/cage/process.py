"""The parent's part: start the child, take what it sends, and end it in time. Pure."""

from __future__ import annotations

import json
import logging
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from evalapp.cage import frames

logger = logging.getLogger(__name__)

CHILD = Path(__file__).with_name("child.py")
LEVELS = 4
TICK = 0.1  # seconds between two looks at a silent child
PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096
# All that the child is told of its surroundings: no password, no token, no key. Arrow's
# own allocator reserves gigabytes and hangs where the limit does not allow them.
KEPT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "TMPDIR", "TZ")
TOLD = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
INSTEAD = "Split it, or save it as csv, and choose it again."
STOPPED = (
    "This file cannot be read: its reader stopped in the middle. It may be damaged."
    " Write it again, or save it as csv."
)


class Refused(ValueError):
    """The message says why the file is not read, for people."""


@dataclass(frozen=True)
class Limits:
    """What a file may take to read."""

    bytes: int  # of a file in it, unpacked
    row_bytes: int
    rows: int
    columns: int = 1000
    seconds: int = 50  # of waiting, and of computing
    memory: int = 1 << 30

    @property
    def all_bytes(self) -> int:
        """Of all that comes out: as JSON, a table is longer than in its file."""
        return LEVELS * self.bytes


def pieces(
    file: BinaryIO | Path, *, reader: str, limits: Limits, **asked: Any
) -> Iterator[Any]:
    """Yield what a reader sends: objects of JSON, and blocks of bytes.

    Args:
        file: Read from its start.
        reader: A module of `readers`.
        limits: What it may take.
        asked: Further arguments for the reader, to be sent as JSON.

    Raises:
        Refused: If the reader refuses the file, or dies, or passes a limit.
    """
    with _as_stdin(file) as given, tempfile.TemporaryFile() as said:
        size = os.fstat(given.fileno()).st_size
        told = {**asdict(limits), "all_bytes": limits.all_bytes}
        order = {**asked, "reader": reader, "size": size, "limits": told}
        child = subprocess.Popen(
            [sys.executable, "-I", str(CHILD), json.dumps(order)],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=said,
            bufsize=0,
            env={k: os.environ[k] for k in KEPT if k in os.environ} | TOLD,
        )
        try:
            yield from _Watch(child, limits, cast(BinaryIO, said)).values()
        finally:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()


@contextmanager
def _as_stdin(file: BinaryIO | Path) -> Iterator[BinaryIO]:
    """A file of the child's own. A shared one would have one position for both."""
    if isinstance(file, Path):
        with file.open("rb") as opened:
            yield opened
        return
    with tempfile.TemporaryFile() as copy:
        file.seek(0)
        shutil.copyfileobj(file, copy, 1 << 20)
        file.seek(0)
        copy.seek(0)
        yield cast(BinaryIO, copy)


class _Watch:
    """Waits for a child, but not for ever."""

    def __init__(
        self, child: subprocess.Popen[bytes], limits: Limits, said: BinaryIO
    ) -> None:
        self._child, self._limits, self._said = child, limits, said
        self._pipe = cast(BinaryIO, child.stdout)
        self._waited = 0.0  # only for the child: we may take as long as we like

    def values(self) -> Iterator[Any]:
        total = 0
        most = self._limits.row_bytes + 2 * frames.AT_ONCE
        while True:
            kind, size = frames.HEAD.unpack(self._read(frames.HEAD.size))
            total += size
            # The child counts too, but a file may have taken it over.
            if size > most or total > self._limits.all_bytes + most:
                self._stop()
            body = self._read(size)
            if kind == frames.BYTES:
                yield body
                continue
            value = self._value(body)
            if "refused" in value:
                raise Refused(str(value["refused"])[:1000])
            if "spent" in value:
                self._refuse_memory()
            if "end" in value:
                return
            yield value

    def _value(self, body: bytes) -> dict[str, Any]:
        try:
            value = frames.unpacked(body)
        except (ValueError, RecursionError):  # nested too deeply, or endless digits
            self._stop()
        if not isinstance(value, dict):
            self._stop()
        return value

    def _read(self, n: int) -> bytes:
        found = bytearray()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._pipe, selectors.EVENT_READ)
            while len(found) < n:
                self._wait(waiting)
                block = os.read(self._pipe.fileno(), n - len(found))
                if not block:
                    self._ended()
                found += block
        return bytes(found)

    def _wait(self, waiting: selectors.BaseSelector) -> None:
        """Until there is something to read."""
        ready = False
        while not ready:
            start = time.monotonic()
            ready = bool(waiting.select(TICK))
            self._waited += time.monotonic() - start
            if resident(self._child.pid) > self._limits.memory:
                self._refuse_memory()
            if self._waited > self._limits.seconds:
                self._refuse_time()

    def _ended(self) -> NoReturn:
        """The pipe is closed, but not by the word for the end."""
        try:
            code = self._child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            code = 0
        spent = getattr(signal, "SIGXCPU", None)  # Windows has none
        if spent and code == -spent:
            self._refuse_time()
        self._stop()

    def _stop(self) -> NoReturn:
        self._said.seek(0)
        words = self._said.read(4000).decode(errors="replace")
        code = self._child.poll()
        logger.warning("The reader of a file stopped (%s): %s", code, words)
        raise Refused(STOPPED)

    def _refuse_time(self) -> NoReturn:
        raise Refused(
            f"The file took longer than {self._limits.seconds} seconds to read."
            f" {INSTEAD}"
        )

    def _refuse_memory(self) -> NoReturn:
        megabytes = self._limits.memory // 2**20
        raise Refused(
            f"Unpacked, the file took more than {megabytes:,} MB of memory. {INSTEAD}"
        )


def resident(pid: int) -> int:
    """Bytes of memory that a process has; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0
