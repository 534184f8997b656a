"""Copies of stored files on this machine: bounded, checked, and made once.

A copy lies in a folder of its own, beside a list of its files with their hashes. Who
uses or makes one holds a shared lock on it. Who deletes one holds that lock alone, and
never waits for it: a process that has a copy in use would else wait for itself. Makers
wait only for each other, on a second lock.
These are locks of the kernel: they end with their process, however it ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

log = logging.getLogger(__name__)

BLOCK = 1 << 20
FACTS = "facts.json"
MAKING = ".making"  # the lock of who makes a copy; without it, that of who uses it
Hashes = Mapping[str, str]  # of the files of a copy, by their place in it; "": a file
# Makes a copy at the path, and tells what it has written.
Fetch = Callable[[Path], Hashes]

_guard = threading.Lock()
_held: dict[Path, int] = {}  # copies in use, with the open file that holds the lock
_looked: dict[Path, dict[str, tuple[int, int]]] = {}  # sizes and times when checked
_unseen: int | None = None  # bytes copied since this process last looked for room


class Cache:
    """Copies in a folder, at most so many bytes."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most

    def get(self, key: str, base: str, size: int, fetch: Fetch) -> Path:
        """The copy of that key, to use until `let_go`; it is made if it is missing."""
        with self.using(key, base, size, fetch, until_let_go=True) as path:
            return path

    @contextmanager
    def using(
        self, key: str, base: str, size: int, fetch: Fetch, until_let_go: bool = False
    ) -> Iterator[Path]:
        """The copy of that key, while the block runs.

        Args:
            key: Another one for other contents.
            base: What the file or folder is called.
            size: Bytes.
            fetch: Makes the copy.
            until_let_go: Go on using it afterwards.
        """
        home = self.folder / "copies" / key
        lock = self._ready(home, base, size, fetch)
        try:
            with suppress(FileNotFoundError):  # another one replaces it just now
                os.utime(home / FACTS)
            yield home / base
        finally:
            with _guard:
                if until_let_go and home not in _held:
                    _held[home] = lock
                else:
                    os.close(lock)

    def _ready(self, home: Path, base: str, size: int, fetch: Fetch) -> int:
        """An open file that holds a shared lock on a whole copy."""
        lock = self._locked(home.name, fcntl.LOCK_SH)
        try:
            if not _is_whole(home, base):
                self._make_once(home, base, size, fetch)
        except BaseException:
            os.close(lock)
            raise
        return lock

    def _make_once(self, home: Path, base: str, size: int, fetch: Fetch) -> None:
        making = self._locked(home.name + MAKING, fcntl.LOCK_EX)
        try:
            if not _is_whole(home, base):
                self._make(home, base, size, fetch)
        finally:
            os.close(making)

    def _make(self, home: Path, base: str, size: int, fetch: Fetch) -> None:
        """It is renamed when it is whole: no one reads half of it.

        A damaged one may be in use. Then its users keep what they have opened, and find
        the new one under the same name.
        """
        self._make_room(size)
        half = self.folder / "half" / uuid.uuid4().hex
        half.mkdir(mode=0o700, parents=True)
        try:
            hashes = fetch(half / base)
            facts = json.dumps({"bytes": size, "files": hashes})
            (half / FACTS).write_text(facts)
            home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._put_aside(home)
            half.rename(home)
        finally:
            shutil.rmtree(half, ignore_errors=True)
        _looked[home] = _states(home / base, hashes)

    def _put_aside(self, damaged: Path) -> None:
        aside = self.folder / "half" / uuid.uuid4().hex
        with suppress(FileNotFoundError):
            damaged.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def _make_room(self, size: int) -> None:
        """Delete what was not used for longest, and is not in use.

        Looking at everything takes time where there are many small files: it is done
        once for each hundredth of the room. So little may be over the limit.
        """
        global _unseen
        with _guard:
            if _unseen is not None and _unseen + size < self.most // 100:
                _unseen += size
                return
            _unseen = 0
        found = list(self._copies())
        left = sum(size_of for _, size_of, _ in found) + size
        for _, size_of, home in sorted(found):
            if left <= self.most - self.most // 100:
                return
            if self._dropped(home):
                left -= size_of
        if left > self.most:
            log.warning(
                "the copies in %s take more than CACHE_MAX_GB: all are in use, or one"
                " is larger than that",
                self.folder,
            )

    def _copies(self) -> Iterator[tuple[int, int, Path]]:
        """When each was used last, how large it is, and where.

        What a killed process left without its facts is deleted here: nobody would count
        it, and it could fill the disk.
        """
        for home in (self.folder / "copies").glob("*"):
            try:
                facts = home / FACTS
                size = int(json.loads(facts.read_text())["bytes"])
                yield facts.stat().st_mtime_ns, size, home
            except (OSError, ValueError, KeyError, TypeError):
                self._dropped(home)

    def _dropped(self, home: Path) -> bool:
        """Whether the copy could be deleted: nobody uses it."""
        try:
            lock = self._locked(home.name, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            _delete(home)
            # Last, and under its lock: who waits for it finds that it is another file.
            for name in (home.name + MAKING, home.name):
                (self.folder / "locks" / name).unlink(missing_ok=True)
        finally:
            os.close(lock)
        return True

    def _locked(self, key: str, how: int) -> int:
        path = self.folder / "locks" / key
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(lock, how)
                if os.fstat(lock).st_ino == path.stat().st_ino:
                    return lock
            except FileNotFoundError:
                pass  # deleted while this one waited
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)


def let_go() -> None:
    with _guard:
        while _held:
            os.close(_held.popitem()[1])


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_whole(home: Path, base: str) -> bool:
    """Whether a copy is there and as it was made.

    All of it is read once by each process, afterwards only if it has changed.
    """
    try:
        hashes = json.loads((home / FACTS).read_text())["files"]
        states = _states(home / base, hashes)
        if _looked.get(home) == states:
            return True
        whole = all(hash_of(_at(home / base, at)) == h for at, h in hashes.items())
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if whole:
        _looked[home] = states
    else:
        log.warning("the copy %s is damaged and will be fetched again", home / base)
    return whole


def _states(path: Path, hashes: Hashes) -> dict[str, tuple[int, int]]:
    found = {at: _at(path, at).stat() for at in hashes}
    return {at: (stat.st_size, stat.st_mtime_ns) for at, stat in found.items()}


def _at(path: Path, within: str) -> Path:
    return path / within if within else path


def _delete(home: Path) -> None:
    _looked.pop(home, None)
    with suppress(FileNotFoundError):  # first: what is left without it is no copy
        (home / FACTS).unlink()
    shutil.rmtree(home, ignore_errors=True)
