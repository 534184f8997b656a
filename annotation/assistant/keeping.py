"""Files that wait for their import: in a private folder, for a day at most."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User

from annotation.models import Study, Upload

KEPT = timedelta(days=1)
MOST = 10  # of one user: the oldest goes
CHUNK = 1 << 20


class Refused(ValueError):
    """The file cannot be kept. The message says why."""


def folder() -> Path:
    found = settings.DATA_DIR / "uploads"
    found.mkdir(mode=0o700, exist_ok=True)
    return Path(found)


def path(upload: Upload) -> Path:
    return folder() / upload.public_id.hex


def keep(
    *,
    user: User,
    file: BinaryIO,
    file_name: str,
    study: Study | None = None,
    choices: Mapping[str, Any] | None = None,
) -> Upload:
    """Store a file that was sent, for a study or a new one.

    Raises:
        Refused: If it is empty, or larger than the limit.
    """
    upload = Upload(user=user, study=study, file_name=file_name[-255:], size=0)
    upload.choices = dict(choices or {})
    try:
        with path(upload).open("xb") as copy:
            shutil.copyfileobj(file, copy, CHUNK)
        upload.size = path(upload).stat().st_size
        if not upload.size:
            raise Refused("The file is empty: choose another.")
        if upload.size > settings.UPLOAD_MAX_BYTES:
            raise Refused("The file is larger than the limit: split it.")
        upload.save()
    except BaseException:
        path(upload).unlink(missing_ok=True)
        raise
    for old in Upload.objects.filter(user=user).order_by("-pk")[MOST:]:
        discard(old)
    return upload


def discard(upload: Upload) -> None:
    """Delete the file, and all that was chosen about it."""
    forget_file(upload)
    upload.delete()


def forget_file(upload: Upload) -> None:
    with suppress(FileNotFoundError):
        path(upload).unlink()


def tidy(*, now: datetime) -> None:
    """Delete what nobody imported within a day. Safe to do twice."""
    for upload in Upload.objects.filter(created_at__lte=now - KEPT):
        discard(upload)
    waiting = {one.hex for one in Upload.objects.values_list("public_id", flat=True)}
    for left in folder().iterdir():  # of a request that was cut off
        old = left.stat().st_mtime < (now - KEPT).timestamp()
        if left.name not in waiting and old:
            left.unlink(missing_ok=True)
