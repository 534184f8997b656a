"""Which files a backup holds: of DATA_DIR, and of the bucket that STORAGE_URL names.

Left out is what is regenerated automatically (embeddings, compressed style sheets,
messages), what belongs to a machine (the log, locks), what is half written, and the
secret key.

Members of an archive are named alike wherever the files lay, so that a backup of a
bucket can be restored into a folder, and the other way round:

| member | in DATA_DIR | in a bucket |
| --- | --- | --- |
| files/uploads/7, and so on | uploads/7 | uploads/7 |
| files/models/NAME/FILE | models/NAME/FILE | - (of the machine, beside the bucket) |
| stored/models/NAME/FILE | - | models/NAME/FILE |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from evalapp import storage

# Bundles are in backups of older versions: they are deleted a day later.
FOLDERS = ("bundles", "checkpoints", "datasets", "parts", "uploads")
MODELS = storage.MODELS
FILES = ("judges.toml",)
HOME, STORED = "files", "stored"  # what names of members begin with


class Source(NamedTuple):
    """A file that is kept."""

    stamp: object  # another one once the file has changed; None: it was deleted
    fetch: Callable[[Path], Path]  # where to read it: copied to that path, if need be


def found(*, models: bool) -> Iterator[tuple[str, Source]]:
    """Members in DATA_DIR, as they are now."""
    for name in names(models=models, stored=not storage.is_remote()):
        place = path(name)
        yield f"{HOME}/{name}", Source(_stamp(place), partial(_here, place))


def _here(place: Path, half: Path) -> Path:
    return place  # it need not be copied


def names(*, models: bool, stored: bool = True) -> Iterator[str]:
    """Of the files in DATA_DIR that are kept; links are not followed.

    Args:
        models: Also those of models.
        stored: Also those that lie in a bucket where there is one.
    """
    home = Path(settings.DATA_DIR)
    for folder in (*(FOLDERS if stored else ()), *([MODELS] if models else [])):
        for where, _, inside in os.walk(home / folder):
            for name in sorted(inside):
                at = Path(where) / name
                half = name.startswith(".") and folder != MODELS
                if at.is_file() and not at.is_symlink() and not half:
                    yield at.relative_to(home).as_posix()
    yield from (name for name in FILES if (home / name).is_file())


def is_kept(member: str) -> bool:
    """Whether files of such a name are kept. The name itself has been checked."""
    home, *parts = member.split("/")
    if home == HOME and parts[0] in (*FOLDERS, MODELS):
        return len(parts) > 1
    if home == STORED and parts[0] == MODELS:
        return len(parts) > 1
    return home == HOME and len(parts) == 1 and parts[0] in FILES


def in_bucket(members: Iterable[str]) -> list[str]:
    """The folders of a bucket that such members would be restored into."""
    models = any(one.startswith(f"{STORED}/") for one in members)
    return [*FOLDERS, *([MODELS] if models else [])]


def path(name: str) -> Path:
    return Path(settings.DATA_DIR) / name


def _stamp(place: Path) -> tuple[int, int] | None:
    try:
        found = place.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


def links() -> int:
    """How many models are links: their files lie elsewhere, and are not in a backup."""
    return sum(one.is_symlink() for one in path(MODELS).rglob("*"))
