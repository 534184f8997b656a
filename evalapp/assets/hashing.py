"""Each file's second address, with a hash of its content in it."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage

DIGITS = 12
_paths: dict[str, str] = {}  # where files were found, as long as they are there
_addresses: dict[tuple[str | None, str | None], str] = {}


class HashedStorage(StaticFilesStorage):
    """`{% static %}` gives the address that may be kept, computed from the file itself.

    Unlike a manifest that is written once, this cannot name a file as it was before.
    """

    def url(self, name: str | None, force: bool = False) -> str:
        hashed = hashed_name(name) if name and not settings.DEBUG else name
        place = self.base_url, hashed
        if place not in _addresses:
            _addresses[place] = super().url(hashed)
        return _addresses[place]


def hashed_name(name: str) -> str:
    """ "css/base.css" -> "css/base.0123456789ab.css"; as it is if there is no file."""
    path = _paths.get(name) or finders.find(name)
    if not isinstance(path, str) or not os.path.isfile(path):
        _paths.pop(name, None)
        return name
    _paths[name] = path
    return with_hash(name, path)


def with_hash(name: str, path: str) -> str:
    folder, slash, file = name.rpartition("/")
    stem, dot, suffix = file.rpartition(".")
    parts = [stem, content_hash(path), suffix] if dot else [file, content_hash(path)]
    return f"{folder}{slash}{'.'.join(parts)}"


def content_hash(path: str) -> str:
    found = os.stat(path)  # `Path` takes longer to read its parts
    return _content_hash(path, found.st_mtime_ns, found.st_size)


@cache
def _content_hash(path: str, changed: int, size: int) -> str:
    """Read once for each state of a file: a changed one gets another hash at once."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:DIGITS]
