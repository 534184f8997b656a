"""Files that wait for their import: in a private folder, for two days at most."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User

from annotation.models import Study, Upload
from evalapp import storage
from evalapp.work import deferred_deletion

KEPT = timedelta(days=1)
MOST = 10  # of one user: the oldest goes
CHUNK = 1 << 20
FOLDER = "uploads"


class Refused(ValueError):
    """The file cannot be kept. The message says why."""


def path(upload: Upload) -> Path:
    """Where the file can be read on this machine."""
    return storage.local(_name(upload))


def opened(upload: Upload) -> BinaryIO:
    """The file, to read.

    Raises:
        FileNotFoundError: It was deleted.
    """
    return storage.opened(_name(upload))


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
        with storage.writing(_name(upload)) as place:
            upload.size = _copied(file, place)
        upload.save()
    except BaseException:
        forget_file(upload)
        raise
    for old in Upload.objects.filter(user=user).order_by("-pk")[MOST:]:
        discard(old)
    return upload


def _copied(file: BinaryIO, place: Path) -> int:
    with place.open("xb") as copy:
        shutil.copyfileobj(file, copy, CHUNK)
    size = place.stat().st_size
    if not size:
        raise Refused("The file is empty: choose another.")
    if size > settings.UPLOAD_MAX_BYTES:
        raise Refused("The file is larger than the limit: split it.")
    return size


def discard(upload: Upload) -> None:
    """Delete the file, and all that was chosen about it."""
    forget_file(upload)
    upload.delete()


def forget_file(upload: Upload) -> None:
    storage.delete(_name(upload))


def tidy(*, now: datetime) -> None:
    """Delete what nobody imported within a day, at the next day's look.

    Safe to do twice: see deferred_deletion.py."""
    due = {
        upload.public_id.hex: upload
        for upload in Upload.objects.filter(created_at__lte=now - KEPT)
    }
    for key in deferred_deletion.confirmed("upload", due, now=now):
        discard(due[key])
    waiting = {one.hex for one in Upload.objects.values_list("public_id", flat=True)}
    for left in storage.children(FOLDER):  # of a request that was cut off
        old = left.modified and left.modified < now - KEPT
        if left.base not in waiting and old:
            storage.delete(left.name)


def _name(upload: Upload) -> str:
    return f"{FOLDER}/{upload.public_id.hex}"
