"""What `up` does with DATA_DIR before it serves: keep others out, back up, migrate."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from evalapp.backup import database
from evalapp.work import deferred_deletion

KEPT = 3  # backups
# Copies hold ids and answers that were deleted since. Whoever needs an older one has
# made a backup of their own.
KEPT_FOR = timedelta(days=30)
LOG_WAITS = 1000  # milliseconds that whoever rates may wait for `empty_log`
MIGRATING = 0x45_76_61_6C  # the number of PostgreSQL's lock; any will do, if ours alone


class Taken(Exception):
    """Another `up` runs on the folder. The message says which, and what to do."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other `up`s out: two would share neither limits nor the care for a worker.

    The lock ends with this process, however it ends: a file that is left locks nobody
    out.
    """
    with (folder / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "just starting"
            raise Taken(
                f"EvalApp already runs on {folder} (process {holder}). Stop it first,"
                " or give this one its own folder: DATA_DIR=/path."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


@contextmanager
def migrating_alone() -> Iterator[None]:
    """Let one process migrate at a time, on all machines that share a PostgreSQL.

    Two sites that start together would both see that a table is missing, and the second
    would fail where it creates it. PostgreSQL frees the lock of a process that ends.
    """
    if connection.vendor != "postgresql":
        yield  # SQLite lies in one folder, and `held` lets one `up` in
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATING])


def back_up(folder: Path, *, now: datetime) -> Path | None:
    """Copy an SQLite database that is about to be migrated; None if there is no need.

    The newest copies are kept. SQLite's own backup is whole while others write.
    """
    if connection.vendor != "sqlite" or not _is_behind():
        return None
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"db-{now:%Y%m%d-%H%M%S-%f}.sqlite3"
    half = path.with_suffix(".half")
    os.close(os.open(half, os.O_CREAT | os.O_WRONLY, 0o600))
    database.copy_sqlite(half)
    half.replace(path)
    for old in sorted(folder.glob("db-*.sqlite3"))[:-KEPT]:
        old.unlink()
    return path


def tidy(*, now: datetime) -> None:
    """Delete copies of the database, whole or half, that are 30 days old.

    A day after they were first seen to be: see deferred_deletion.py."""
    copies = (settings.DATA_DIR / "backups").glob("db-*")
    due = {copy.name: copy for copy in copies if _made_at(copy) <= now - KEPT_FOR}
    for name in deferred_deletion.confirmed("copy", due, now=now):
        due[name].unlink(missing_ok=True)  # another worker may have been faster


def empty_log(*, now: datetime) -> None:
    """Move what SQLite wrote to its file: its log still holds what was deleted since.

    Else that stays until the log is written over, which takes 4 MB of other writing.
    Where somebody reads for longer than a second, the next round does it.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return  # in a transaction it cannot be done
    with connection.cursor() as cursor:
        waits = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={LOG_WAITS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            cursor.execute(f"PRAGMA busy_timeout={waits}")


def _made_at(copy: Path) -> datetime:
    """By its name: a folder that was moved has younger files."""
    try:
        found = datetime.strptime(copy.name[:18], "db-%Y%m%d-%H%M%S")
        return found.replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(copy.stat().st_mtime, UTC)


def _is_behind() -> bool:
    """Whether there is something to migrate, and something that could be lost."""
    executor = MigrationExecutor(connection)
    wanted = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return bool(wanted) and bool(executor.loader.applied_migrations)
