"""A copy of the database as it was at one moment, while others write to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from evalapp.backup.archive import DATABASES, BackupError


def name() -> str:
    """What the copy is called in an archive."""
    return DATABASES[connection.vendor]


def copy(path: Path) -> None:
    """Write the copy to a new file that only its owner can read.

    Raises:
        BackupError: A program of PostgreSQL is missing, or fails.
    """
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    if connection.vendor == "sqlite":
        copy_sqlite(path)
    else:
        # In its own format: compressed, and read by pg_restore in one transaction.
        _run(
            "pg_dump",
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            f"--file={path}",
        )


def copy_sqlite(path: Path) -> None:
    """SQLite's own backup is whole while others write."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as target:
        connection.connection.backup(target)


def is_empty() -> bool:
    """Whether nothing would be lost: no table of ours is there."""
    return not connection.introspection.table_names()


def migrations() -> list[list[str]]:
    """Those applied, each with when: no two installations have the same times."""
    found = MigrationRecorder(connection).applied_migrations()
    return sorted([*key, one.applied.isoformat()] for key, one in found.items())


def is_of(backup: list[list[str]]) -> bool:
    """Whether the database was filled from the backup which had these migrations."""
    here = migrations()
    return bool(backup) and all(one in here for one in backup)


def put_back(path: Path) -> None:
    """Fill the empty database, all of it or nothing.

    Raises:
        BackupError: As `copy`.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        # Where there is no file, connecting would make an empty one.
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as source:
            source.backup(connection.connection)
    else:
        _run(
            *("pg_restore", "--no-owner", "--no-privileges", "--exit-on-error"),
            *("--single-transaction", f"--dbname={_database()['NAME']}", str(path)),
        )
    connections.close_all()  # what they know of the tables is of before


def _run(program: str, *words: str) -> None:
    if not shutil.which(program):
        raise BackupError(
            f"The program {program} is missing. Install PostgreSQL's client programs in"
            " the server's version or a newer one: postgresql-client on Debian."
        )
    done = subprocess.run(  # noqa: S603 -- no shell, and words of ours
        [program, *words], env=_environment(), capture_output=True, text=True
    )
    if done.returncode:
        raise BackupError(f"{program} failed: {done.stderr.strip()[:2000]}")


def _environment() -> dict[str, str]:
    """PostgreSQL's own variables: a password among the words could be seen by all."""
    found = _database()
    given = {
        "PGHOST": found["HOST"],
        "PGPORT": str(found["PORT"] or ""),
        "PGUSER": found["USER"],
        "PGPASSWORD": found["PASSWORD"],
        "PGDATABASE": found["NAME"],
        **{f"PG{key.upper()}": str(of) for key, of in found["OPTIONS"].items()},
    }
    return {**os.environ, **{key: of for key, of in given.items() if of}}


def _database() -> dict[str, Any]:
    return {**connection.settings_dict, "OPTIONS": _options()}


def _options() -> dict[str, str]:
    """Those of the URL, such as sslmode: PostgreSQL's own programs have them, too."""
    return dict(settings.DATABASES["default"].get("OPTIONS", {}))
