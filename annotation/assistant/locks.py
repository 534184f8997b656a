"""One file of an account is read at a time, in whichever process of the site.

Each reading keeps a thread that makes pages: nine files at once, each of a few
kilobytes, kept all threads, and nobody got a page for 43 seconds. Nine accounts could
do the same, so a process reads a few files only: see `benchmarks/attacks.md`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from uuid import uuid4

from django.contrib.auth.models import User

from evalapp.work import locks

PATIENCE = 2.0  # seconds: two choices in quick succession are no second upload
PAUSE = 0.1
# Of the eight threads of a process: the other three make pages, whatever comes.
READERS, WAITERS = 3, 2
LONGEST_WAIT = 10.0  # seconds for a reader's place

_readers = BoundedSemaphore(READERS)
_threads = BoundedSemaphore(READERS + WAITERS)


OTHERS = "Many files are being read right now. Try again in a minute."


class Busy(Exception):
    """The message says that another file is being read."""


@contextmanager
def alone(user: User) -> Iterator[None]:
    """Read a file of this account while nobody else does.

    Raises:
        Busy: If another one of it is being read, or too many of others. Where that
            process was killed, the claim ends by itself.
    """
    with _place(), _claim(user):
        yield


@contextmanager
def _place() -> Iterator[None]:
    """Of a reader, for which a few threads wait a moment and all others do not."""
    if not _threads.acquire(blocking=False):
        raise Busy(OTHERS)
    try:
        if not _readers.acquire(timeout=LONGEST_WAIT):
            raise Busy(OTHERS)
        try:
            yield
        finally:
            _readers.release()
    finally:
        _threads.release()


@contextmanager
def _claim(user: User) -> Iterator[None]:
    """Across all processes."""
    name, owner = f"reading for {user.pk}", uuid4().hex
    end = time.monotonic() + PATIENCE
    while True:
        with locks.held(name, owner=owner) as mine:
            if mine:
                yield
                return
        if time.monotonic() >= end:
            raise Busy(
                "Another file of yours is being read. Wait until that is done, then"
                " try again."
            )
        time.sleep(PAUSE)
