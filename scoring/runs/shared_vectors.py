"""Embeddings that all workers share: computed by one of them, read by all."""

from __future__ import annotations

import logging
import shutil
import uuid
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from django.conf import settings

from evalapp import storage
from evalapp.work import heartbeats, locks
from scoring.metrics import vectors

log = logging.getLogger(__name__)

FOLDER = "embeddings"


def know() -> None:
    """Keep and share what metrics embed from now on in this process."""
    root = settings.CACHE_DIR if storage.is_remote() else settings.DATA_DIR
    vectors.keep_in(root / FOLDER, Shared())


class Shared:
    """By the storage, where it is not the folder itself, and by rows with leases."""

    def fetch(self, folder: Path) -> None:
        if not storage.is_remote():
            return
        for one in storage.children(f"{FOLDER}/{folder.name}"):
            if not (folder / one.base).exists():
                _fetch(one.name, folder / one.base)

    def send(self, file: Path) -> None:
        if not storage.is_remote():
            return
        name = f"{FOLDER}/{file.parent.name}/{file.name}"
        try:
            with storage.writing(name) as place:
                shutil.copyfile(file, place)
        except (storage.Away, OSError) as error:  # no reason to end a run
            log.warning("embeddings are not shared: %s", error)

    def claimed(self, name: str) -> AbstractContextManager[bool]:
        return locks.held(f"{FOLDER}/{name}", owner=heartbeats.me())


def _fetch(name: str, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = place.with_name(f"{uuid.uuid4().hex}.part")
    try:
        with storage.opened(name) as file, half.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        half.rename(place)
    except FileNotFoundError:
        pass  # deleted meanwhile
    except storage.Damaged as error:
        log.warning("%s Its texts are embedded again.", error)
        storage.delete(name)
    finally:
        half.unlink(missing_ok=True)


def tidy(*, now: datetime) -> None:
    """Delete the oldest, down to the limit. In DATA_DIR, writing does that itself."""
    if not storage.is_remote():
        return
    files = [f for one in storage.children(FOLDER) for f in storage.children(one.name)]
    left = sum(file.bytes for file in files)
    for file in sorted(files, key=lambda one: (one.modified or now, one.name)):
        if left <= vectors.LIMIT:
            return
        storage.delete(file.name)
        left -= file.bytes
