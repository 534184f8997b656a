"""How long to wait for a storage that is silent: pages not as long as work.

A page holds one of the few threads of the site while it waits. With the patience of
work, a few pages of researchers would keep raters from theirs.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from evalapp.storage.names import Away


class Patience(NamedTuple):
    connect: float  # seconds
    read: float
    tries: int


OF_WORK = Patience(5, 60, 3)
OF_PAGES = Patience(2, 5, 2)
PAUSE = 10.0  # seconds in which pages do not ask a silent storage again

_hurries = False


def hurry() -> None:
    """Let this process wait as pages do."""
    global _hurries
    _hurries = True


def mine() -> Patience:
    return OF_PAGES if _hurries else OF_WORK


class Silence:
    """What a process that hurries knows of a storage that gave no answer.

    A page may ask for many files: it waits for one of them, not for each.
    """

    def __init__(self) -> None:
        self._until = 0.0
        self._said = ""

    def check(self) -> None:
        """Raises Away soon after the storage was silent, without asking it."""
        if not _hurries or not self._until:
            return
        now = time.monotonic()
        if now < self._until:
            raise Away(self._said)
        self._until = now + PAUSE  # this one asks, and no other one waits with it

    def note(self, said: str) -> None:
        """What is said of it; nothing where it has answered."""
        self._said = said
        self._until = time.monotonic() + PAUSE if said else 0.0
