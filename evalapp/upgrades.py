"""Which databases and backups of earlier commits this one can take over.

The migrations of the commit below have become one file per app. A database that lacks
some of them cannot catch up here: what they did to its rows is gone.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Key = tuple[str, str]  # app, name

COMMIT = "60d1ed25"
TOO_OLD = (
    f"The database is older than commit {COMMIT}, whose migrations became one file per"
    f" app: update EvalApp to {COMMIT} first, run `manage.py migrate` there, then"
    " update to this version."
)


def is_too_old(connection: BaseDatabaseWrapper) -> bool:
    """Whether the database has to go through the commit first."""
    return is_older(MigrationRecorder(connection).applied_migrations())


def is_older(applied: Collection[Key]) -> bool:
    """Whether some, but not all, of what became one file is applied."""
    return any(
        0 < sum(key in applied for key in replaced) < len(replaced)
        for replaced in _replaced_by_app()
    )


def unknown(applied: Collection[Key]) -> list[Key]:
    """What a later version has applied, in apps that are here."""
    files = set(MigrationLoader(None).disk_migrations)
    apps = {app for app, _ in files}  # not those that a setting brings
    known = files.union(*_replaced_by_app())
    return sorted(key for key in applied if key[0] in apps and key not in known)


def _replaced_by_app() -> list[list[Key]]:
    """Without those of other packages, whose earlier files are there, too."""
    loader = MigrationLoader(None)
    replaced = [migration.replaces for migration in loader.replacements.values()]
    return [keys for keys in replaced if not set(keys) & set(loader.disk_migrations)]
