"""One attempt at a row of work. Whatever happens is written in the row."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError

from evalapp.queue import leases
from evalapp.queue.models import Leased

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
Row = TypeVar("Row", bound=Leased)
Errors = tuple[type[Exception], ...]

REPORT_SECONDS = 1.0
ERROR_CHARACTERS = 2000

_stopping = threading.Event()


class Lost(Exception):
    """The row was cancelled, or another worker has it by now."""


class Interrupted(Exception):
    """This worker was told to stop."""


def stop() -> None:
    """Let the row at hand go at its next sign of progress."""
    _stopping.set()


def is_stopping() -> bool:
    return _stopping.is_set()


def attempt(
    row: Row,
    work: Callable[[Row], None],
    *,
    clock: Clock,
    final: Errors = (),
    again: bool = True,
) -> Exception | None:
    """Do a row that was taken; return the error that ended the attempt, if any.

    Args:
        row: As `leases.take` gave it.
        work: Does it, and calls `leases.finish` in the transaction that saves what it
            found. A worker that has lost its row leaves no trace.
        clock: Tells the time.
        final: Errors that a user can cure. They end the row at once, in their own
            words.
        again: Whether anything else is tried three times in all; without it only a
            database that is away is.
    """
    try:
        work(row)
    except Lost:
        log.info("%s was cancelled or taken over", row)
    except Interrupted:
        leases.give_back(row)
    except Exception as error:
        if isinstance(error, final):
            leases.fail(row, error=told(error), now=clock())
            return error
        log.exception("%s failed", row)
        end = leases.try_again
        if not again and not isinstance(error, DatabaseError):
            end = leases.fail
        end(row, error=named(error), now=clock())
        return error
    return None


def told(error: Exception) -> str:
    """What was written for people to read."""
    return without_folders(str(error))[:ERROR_CHARACTERS]


def named(error: Exception) -> str:
    """With its kind: a message by itself may say little."""
    return without_folders(f"{type(error).__name__}: {error}")[:ERROR_CHARACTERS]


def without_folders(text: str) -> str:
    """An error as a page may show it: not where things lie on this server.

    What lies in a folder keeps its name there, by which people know it.
    """
    for folder in (settings.MODELS_DIR, settings.DATA_DIR, settings.BASE_DIR):
        text = text.replace(f"{folder}/", "")
    home = f"{Path.home()}/"
    return text.replace(home, "~/") if home != "//" else text


class Report:
    """Progress, lease and fence in one UPDATE, at most one a second."""

    def __init__(self, row: Leased, clock: Clock) -> None:
        self.row, self.clock = row, clock
        self.last = -math.inf

    def renew(self, *, at_once: bool = False, **progress: Any) -> bool:
        """Whether it was time to.

        Raises:
            Interrupted, Lost: There is no point in continuing.
        """
        if is_stopping():
            raise Interrupted
        if not at_once and time.monotonic() - self.last < REPORT_SECONDS:
            return False
        if not leases.renew(self.row, now=self.clock(), **progress):
            raise Lost
        self.last = time.monotonic()
        return True
