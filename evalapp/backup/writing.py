"""Make a backup while the site and its workers go on."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.db import connection

from evalapp import storage
from evalapp.backup import database, files
from evalapp.backup.archive import BackupError, Manifest, Writer

PREFIX, ENDING = "evalapp-", ".tar"
HALF = ".evalapp-backup-"  # folders beside the archives, while they are written
LEFT_SECONDS = 3600.0  # then nobody is about to lock a new one


class Written(NamedTuple):
    manifest: Manifest
    gone: list[str]  # members that were there, and were deleted before they were read


def write(path: Path, *, now: datetime, models: bool = True) -> Written:
    """Write database and files to a new file that only its owner can read.

    Files are copied before and after the database. So each file that a row of the copy
    speaks of is there: it existed before, or has been added since. Only one that was
    both made and deleted meanwhile may be missing.

    Args:
        path: The archive. It appears once it is complete.
        now: When.
        models: Whether to hold those of DATA_DIR and of the bucket.

    Raises:
        BackupError: The path cannot be used, a program is missing, or the bucket is
            away or damaged. Nothing is left.
    """
    _refuse(path)
    try:
        with _workplace(path.parent) as place:
            written = _write(place, now=now, models=models)
            _publish(place / "archive", path)
    except (storage.Away, storage.Damaged) as error:
        raise BackupError(f"No backup was made. {error}") from error
    except SuspiciousFileOperation as error:
        raise BackupError(f"No backup was made. {error}. Rename the file.") from error
    except OSError as error:
        raise BackupError(
            f"{path} cannot be written: {error.strerror}. Free some space, or choose a"
            " folder that you may write to."
        ) from error
    return written


def _refuse(path: Path) -> None:
    """Before hours are spent on a file that cannot be written."""
    if os.path.lexists(path):
        raise BackupError(_taken(path))
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}. Create it first.")
    if path.suffix != ENDING:
        raise BackupError(
            f"There is no folder {path}. Create it first, or name a file that ends in"
            f" {ENDING}."
        )


def _taken(path: Path) -> str:
    return (
        f"{path} already exists, and a backup never replaces a file. Choose another"
        " name, or name a folder: the backup is then named after the time."
    )


@contextmanager
def _workplace(beside: Path) -> Iterator[Path]:
    """A folder of one's own: two backups do not meet, and half a one has no name.

    Its lock ends with this process, however it ends: the next backup deletes what was
    left.
    """
    _forget_left(beside)
    place = Path(tempfile.mkdtemp(prefix=HALF, dir=beside))
    lock = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def _forget_left(beside: Path) -> None:
    for place in beside.glob(f"{HALF}*"):
        with suppress(OSError):  # in use, or deleted by another backup just now
            lock = os.open(place, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if place.stat().st_mtime < time.time() - LEFT_SECONDS:
                    shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(lock)


def _publish(half: Path, path: Path) -> None:
    """Give it its name, unless another backup was faster: a rename would replace it."""
    try:
        os.link(half, path)
    except FileExistsError:
        raise BackupError(_taken(path)) from None
    except OSError:  # a file system without links
        if path.exists():
            raise BackupError(_taken(path)) from None
        half.rename(path)


def _write(place: Path, *, now: datetime, models: bool) -> Written:
    descriptor = os.open(place / "archive", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        writer = Writer(file, _manifest(now))
        copying = _Copying(writer, place / "file", models)
        copying.copy()
        database.copy(place / "database")
        writer.add(database.name(), place / "database")
        copying.copy()
        writer.close()
        file.flush()
        os.fsync(file.fileno())
    return Written(writer.manifest, sorted(copying.gone))


class _Copying:
    """Adds the files that are new or have changed since the last time."""

    def __init__(self, writer: Writer, half: Path, models: bool) -> None:
        self.writer, self.half, self.models = writer, half, models
        self.copied: dict[str, object] = {}  # stamps, by member
        self.gone: set[str] = set()

    def copy(self) -> None:
        for name, source in _found(models=self.models):
            if name not in self.copied or self.copied[name] != source.stamp:
                self._add(name, source)

    def _add(self, name: str, source: files.Source) -> None:
        try:
            self.writer.add(name, source.fetch(self.half))
        except FileNotFoundError:
            if name not in self.copied:
                self.gone.add(name)
        else:
            self.copied[name] = source.stamp
            self.gone.discard(name)


def _found(*, models: bool) -> Iterator[tuple[str, files.Source]]:
    """Members, as they are now.

    Raises:
        Away, Damaged: From the bucket.
    """
    yield from files.found(models=models)
    if storage.is_remote():
        from evalapp.backup import bucket  # its packages are there only if needed

        yield from bucket.found(models=models)


def _manifest(now: datetime) -> Manifest:
    return Manifest(
        version=settings.VERSION,
        made_at=now.isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=database.migrations(),
    )


def named(folder: Path, *, now: datetime) -> Path:
    return folder / f"{PREFIX}{now:%Y%m%d-%H%M%S}{ENDING}"


def forget_old(folder: Path, *, keep: int) -> list[Path]:
    """Delete all but the newest that `named` has named."""
    found = sorted(folder.glob(f"{PREFIX}????????-??????{ENDING}"))
    old = found[:-keep] if keep else found
    for path in old:
        path.unlink()
    return old


def write_keys(path: Path) -> None:
    """The secret key, in a file of its own.

    Raises:
        BackupError: It exists already: another key might be lost. Or there is no folder
            to write it to.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(settings.SECRET_KEY)
    except FileExistsError:
        if path.read_text() != settings.SECRET_KEY:
            raise BackupError(
                f"{path} already exists and contains another key. Choose another name."
            ) from None
    except OSError as error:
        raise BackupError(
            f"The key cannot be written to {path}: {error.strerror}. Name a file in a"
            " folder that you may write to."
        ) from error
