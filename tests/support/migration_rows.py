"""The table in which a database notes its migrations, as earlier commits left it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Key = tuple[str, str]


def of_squashed_commit() -> list[Key]:
    """All but the files that took the place of others; later ones, too.

    The tests' tables are of today, so that what came after must not be applied again.
    """
    loader = MigrationLoader(None)
    files = [key for key in loader.disk_migrations if key not in loader.replacements]
    return files + [key for one in loader.replacements.values() for key in one.replaces]


@contextmanager
def replaced(keys: Iterable[Key]) -> Iterator[None]:
    """For as long as it lasts, the database notes these alone."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    before = list(recorder.migration_qs)
    recorder.flush()
    for key in keys:
        recorder.record_applied(*key)
    try:
        yield
    finally:
        recorder.flush()
        recorder.migration_qs.bulk_create(before)
