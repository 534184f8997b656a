"""What a restore has extracted, in a folder beside, until it is where it belongs.

A mark says that all of it was extracted. Without the mark nothing was changed yet, and
a restore starts over; with it, a restore of the same backup goes on.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from evalapp.backup import archive
from evalapp.backup.archive import BackupError, Manifest

FOLDER, MARK = "restoring", "extracted"


def home() -> Path:
    """On the file system of DATA_DIR: files are moved from here, not copied."""
    return Path(settings.DATA_DIR) / FOLDER


def extracted() -> str:
    """The digest of the backup that waits here; empty if there is none."""
    try:
        return (home() / MARK).read_text()
    except FileNotFoundError:
        return ""


def fill(path: Path, manifest: Manifest) -> None:
    """Extract all, in place of what a restore that was interrupted has left.

    Raises:
        BackupError: There is no room, or the archive is damaged. Nothing is left.
    """
    _refuse_without_room(manifest)
    shutil.rmtree(home(), ignore_errors=True)
    home().mkdir(mode=0o700)
    try:
        found = archive.extract(path, home())
    except BaseException:
        shutil.rmtree(home(), ignore_errors=True)
        raise
    _mark(found)


def _mark(manifest: Manifest) -> None:
    half = home() / f"{MARK}.half"
    half.write_text(manifest.digest())
    half.rename(home() / MARK)


def _refuse_without_room(manifest: Manifest) -> None:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if manifest.size > free:
        raise BackupError(
            f"{settings.DATA_DIR} has room for {free / 2**20:,.0f} MB, but the backup"
            f" needs {manifest.size / 2**20:,.0f} MB. Free some space there."
        )


def clear() -> None:
    """Delete what is left. The mark goes last: until then a restore can go on."""
    for path in home().iterdir():
        if path.name != MARK:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (home() / MARK).unlink()
    home().rmdir()
