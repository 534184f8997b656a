"""Put a backup into an empty installation, however often that is interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from evalapp import storage, upgrades
from evalapp.backup import archive, database, files, placing, staging
from evalapp.backup.archive import BackupError, Manifest
from evalapp.work import dispatch
from evalapp.work.models import WorkerBeat

WORDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def restore(
    path: Path, *, keys: Path | None = None, tell: Callable[[str], None]
) -> Manifest:
    """All of it, into an installation that has no table and no file.

    1. Extract all into a folder beside. Until then nothing has changed.
    2. Fill the database, in one transaction.
    3. Put the files where they belong, and migrate.

    One that is interrupted starts over before the end of 1, and goes on after it.

    Args:
        path: The archive.
        keys: Where the secret key was written.
        tell: Takes a sentence, if an earlier restore was interrupted.

    Raises:
        BackupError: The archive is damaged, or does not fit, or there is something that
            would be lost.
        Away, Damaged: From the bucket.
    """
    manifest = archive.check(path)
    _refuse_other_database(manifest)
    _refuse_other_version(manifest)
    key = _read_key(keys) if keys else ""
    storage.check()
    if staging.extracted() == manifest.digest():
        tell("A restore of this backup was interrupted. It continues where it stopped.")
    else:
        _refuse_to_overwrite(manifest)
        if staging.home().exists():
            tell(
                "A restore was interrupted before it changed anything. It starts over."
            )
        staging.fill(path, manifest)
    _fill_database(manifest)
    placing.place()
    if key:
        _write_key(key)
    call_command("migrate", verbosity=0, interactive=False)
    # Of the old installation: its workers are not here, and its messages neither.
    WorkerBeat.objects.all().delete()
    dispatch.forget_messages()
    staging.clear()
    return manifest


def refuse_half() -> None:
    """For who is about to use the installation.

    Raises:
        BackupError: A restore was interrupted after it began to fill it.
    """
    if staging.extracted():
        raise BackupError(
            f"A restore into {settings.DATA_DIR} was interrupted. Run the same"
            " `manage.py restore` again: it continues where it stopped. To abandon it,"
            f" delete {staging.home()} and empty the database."
        )


def _fill_database(manifest: Manifest) -> None:
    if database.is_empty():
        database.put_back(staging.home() / database.name())
    elif not database.is_of(manifest.migrations):
        raise BackupError(
            f"The database {connection.settings_dict['NAME']} has been filled by"
            " something else since the restore began. Empty it, then run the restore"
            " again: it continues."
        )


def _refuse_other_database(manifest: Manifest) -> None:
    if manifest.vendor != connection.vendor:
        theirs, ours = WORDS[manifest.vendor], WORDS[connection.vendor]
        raise BackupError(
            f"The backup is from {theirs}, but DATABASE_URL names {ours}. Restore it"
            f" into {theirs}."
        )


def _refuse_other_version(manifest: Manifest) -> None:
    applied = {(app, migration) for app, migration, *_ in manifest.migrations}
    if upgrades.is_older(applied):
        raise BackupError(
            f"The backup is older than commit {upgrades.COMMIT}: restore it with"
            " EvalApp of that commit, then update to this version."
        )
    if unknown := upgrades.unknown(applied):
        app, migration = unknown[0]
        raise BackupError(
            f"The backup was made by EvalApp {manifest.version}, which is newer than"
            f" this one ({settings.VERSION}): the migration {app}.{migration} is not"
            " known here. Update EvalApp first."
        )


def _refuse_to_overwrite(manifest: Manifest) -> None:
    there = _in_the_way(manifest)
    if not there:
        return
    empty = "an empty database and an empty DATA_DIR"
    if storage.is_remote():
        empty += ", and an empty bucket or another prefix in it"
    if staging.extracted():
        raise BackupError(
            f"{there} A restore of another backup was interrupted here. Restore that"
            f" backup again to continue, or start with {empty}."
        )
    raise BackupError(f"{there} Restore into {empty}.")


def _in_the_way(manifest: Manifest) -> str:
    remote = storage.is_remote()
    if not database.is_empty():
        name = connection.settings_dict["NAME"]
        return f"The database {name} already has tables, which would be lost."
    if there := next(files.names(models=True, stored=not remote), None):
        return f"{files.path(there)} already exists and could be overwritten."
    tops = files.in_bucket(manifest.members) if remote else []
    if top := next(filter(storage.holds_files, tops), None):
        return f"The storage already holds {top}/, which could be overwritten."
    return ""


def _read_key(path: Path) -> str:
    try:
        found = path.read_text().strip()
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from error
    if os.environ.get("SECRET_KEY") not in (None, "", found):
        raise BackupError(
            f"The key in {path} is not the one in SECRET_KEY. Set SECRET_KEY to the old"
            " key, and leave out --keys."
        )
    return found


def _write_key(key: str) -> None:
    path = Path(settings.DATA_DIR) / "secret_key"
    half = path.with_suffix(".half")
    descriptor = os.open(half, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    half.replace(path)
