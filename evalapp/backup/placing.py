"""Put what a restore has extracted where the site reads it. Safe to do again."""

from __future__ import annotations

import errno
import filecmp
import shutil
import uuid
from pathlib import Path

from evalapp import storage
from evalapp.backup import files, staging
from evalapp.backup.archive import BackupError


def place() -> None:
    """Each file goes from the folder beside to its own, whole.

    Raises:
        BackupError: Another file is there.
        Away: The bucket does not take them.
    """
    kept, stored = (staging.home() / one for one in (files.HOME, files.STORED))
    if storage.is_remote():
        from evalapp.backup import bucket  # its packages are there only if needed

        bucket.send(kept, stored)
    for folder in (kept, stored):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                _move(path, files.path(path.relative_to(folder).as_posix()))


def _move(path: Path, to: Path) -> None:
    if to.exists() and filecmp.cmp(path, to, shallow=False):
        path.unlink()  # a restore was killed right then
        return
    if to.exists():
        raise BackupError(
            f"{to} already exists and would be overwritten. Move it away, then run the"
            " restore again: it continues."
        )
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        path.rename(to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(path, to)  # a folder of DATA_DIR that is a disk of its own


def _copy(path: Path, to: Path) -> None:
    half = to.with_name(f".{uuid.uuid4().hex[:16]}.part")
    try:
        shutil.copy2(path, half)
        half.rename(to)
    finally:
        half.unlink(missing_ok=True)
    path.unlink()
