"""A second, empty installation beside the one of the test, and what is in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

from tests.scoring import processes


def run(env: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    """A `manage.py` command to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, words)],
        cwd=processes.ROOT,
        env=env,
        capture_output=True,
        text=True,
    )


@contextmanager
def another(folder: Path) -> Iterator[dict[str, str]]:
    """Variables of an installation with an empty database of the same kind."""
    folder.mkdir()
    env = processes.environment(folder)
    if connection.vendor == "sqlite":
        yield {**env, "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}"}
        return
    url, _, name = env["DATABASE_URL"].rpartition("/")
    other = f"{name}_again"
    _do(f'DROP DATABASE IF EXISTS "{other}" WITH (FORCE)')
    _do(f'CREATE DATABASE "{other}"')
    try:
        yield {**env, "DATABASE_URL": f"{url}/{other}"}
    finally:
        _do(f'DROP DATABASE IF EXISTS "{other}" WITH (FORCE)')


def _do(statement: str) -> None:
    import psycopg

    url = processes.database_url()
    with closing(psycopg.connect(url, autocommit=True)) as server:
        server.execute(statement)


def rows(env: dict[str, str], query: str) -> list[tuple]:
    """What a query finds in an installation's database, read without Django."""
    url = env["DATABASE_URL"]
    if url.startswith("sqlite"):
        import sqlite3

        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as found:
            return found.execute(query).fetchall()
    import psycopg

    with closing(psycopg.connect(url)) as found:
        return found.execute(query).fetchall()
