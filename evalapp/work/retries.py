"""One attempt at a row of work. Whatever happens is written in the row."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
)

from evalapp import storage
from evalapp.work import leases
from evalapp.work.models import Leased

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
Row = TypeVar("Row", bound=Leased)
Errors = tuple[type[Exception], ...]

REPORT_SECONDS = 1.0
DATABASE_SECONDS = 60.0  # to wait for a database that restarts
ERROR_CHARACTERS = 2000
WAITS = (
    "The file storage is not available right now. This continues automatically when it"
    " is back."
)
PAUSE = timedelta(seconds=60)  # until the storage is tried again
# A night without the storage costs no work; for good, nobody should wait for it.
LONGEST_AWAY = timedelta(hours=24)
DATABASE_WAITS = (
    "The database was not available. This continues by itself when it is back."
)
# Then an attempt is lost: the work itself may be what ends the database.
LONGEST_WITHOUT_DATABASE = timedelta(hours=1)
GONE = (
    "The file storage did not work for 24 hours, so this was stopped. Ask your"
    " administrator to repair it (the worker’s log says what is wrong with it), then"
    " try again."
)

_stopping = threading.Event()


class Lost(Exception):
    """The row was cancelled, or another worker has it by now."""


class Gone(storage.Away):
    """The storage has been away for too long to wait for it."""


class NotAllowed(Exception):
    """Who began the row may not have it done any more. The message says why."""


# Says why a row must not begin; empty if it may. Added by the app that knows studies,
# of which the queue knows nothing.
asked_before: list[Callable[[Leased], str]] = []


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
        row: As `leases.take` gave it. It waits while the storage is away, for a day;
            a storage that refuses is tried three times in all. A database that
            restarts costs one attempt an hour at most.
        work: Does it, and calls `leases.finish` in the transaction that saves what it
            found. A worker that has lost its row leaves no trace.
        clock: Tells the time.
        final: Errors that a user can cure. They end the row at once, in their own
            words.
        again: Whether anything else is tried three times in all; without it only a
            database that is away is.
    """
    try:
        _ask(row)
        work(row)
    except NotAllowed as error:
        leases.fail(row, error=told(error), now=clock())
        return error
    except Lost:
        log.info("%s was cancelled or taken over", row)
    except Interrupted:
        leases.give_back(row, away_since=row.away_since)
    except storage.Refused as error:
        log.warning("%s failed: %s", row, error)
        now = clock()
        leases.try_again(row, error=told(error), now=now, until=now + PAUSE)
        return error
    except storage.Away as error:
        return _wait(row, error, clock())
    except Exception as error:
        if isinstance(error, final):
            leases.fail(row, error=told(error), now=clock())
            return error
        log.exception("%s failed", row)
        _write(_end_of(row, error, again=again, now=clock()))
        return error
    finally:
        storage.let_go()
        leases.let_go()
    return None


def _ask(row: Leased) -> None:
    for why_not in asked_before:
        if reason := why_not(row):
            raise NotAllowed(reason)


def _wait(row: Leased, error: storage.Away, now: datetime) -> storage.Away:
    """Queue it again, or fail it where it has waited for long enough."""
    since = row.away_since or now
    if now - since < LONGEST_AWAY:
        log.warning("%s waits: %s", row, error)
        leases.give_back(row, error=WAITS, away_since=since, until=now + PAUSE)
        return error
    log.error("%s failed, having waited since %s: %s", row, since, error)
    leases.fail(row, error=GONE, now=now)
    return Gone(GONE)


def _end_of(
    row: Leased, error: Exception, *, again: bool, now: datetime
) -> Callable[[], None]:
    """What writes how an attempt ended that nobody expected to fail."""
    of_database = isinstance(error, DatabaseError | InterfaceError)
    if of_database:
        _reconnect()
    since = row.away_since or now
    if _is_restart(error) and now - since < LONGEST_WITHOUT_DATABASE:
        return partial(
            leases.give_back,
            row,
            error=DATABASE_WAITS,
            away_since=since,
            until=now + PAUSE,
        )
    end = leases.try_again if again or of_database else leases.fail
    return partial(end, row, error=named(error), now=now)


def _is_restart(error: Exception) -> bool:
    """Whether the server was stopped or started, or cannot be reached.

    A lock, a full disk or a wrong query is none, and SQLite's errors have no state.
    """
    state = getattr(error.__cause__, "sqlstate", "")
    is_away = state is None or state.startswith(("08", "57P0"))
    return is_away and isinstance(error, OperationalError | InterfaceError)


def _write(end: Callable[[], None]) -> None:
    """Write how an attempt ended, once a database that restarts is back.

    Else its row would stay with this worker until the lease ends, as if the worker had
    died: of the third such attempt, memory would be blamed.
    """
    last = time.monotonic() + DATABASE_SECONDS
    while True:
        try:
            return end()
        except (OperationalError, InterfaceError):
            if is_stopping() or time.monotonic() > last:
                raise
        _reconnect()
        time.sleep(REPORT_SECONDS)


def _reconnect() -> None:
    """A connection that broke would lose the end of the row, too."""
    if not connection.in_atomic_block:
        close_old_connections()


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
    copies = f"{settings.CACHE_DIR}/copies/"
    while copies in text:  # each lies in a folder that is named by its contents
        before, _, behind = text.partition(copies)
        text = before + behind.partition("/")[2]
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
