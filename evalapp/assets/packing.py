"""Compressed copies of files, under their hashes: only what is new is compressed."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import brotli
from django.conf import settings
from django.contrib.staticfiles import finders

from evalapp.assets.hashing import content_hash

SUFFIXES = (".css", ".js", ".svg", ".json", ".html", ".txt")
LEAST = 500  # bytes: below, compression saves nothing worth a file
# Of 11. One step more takes six times as long, and saves a twelfth.
QUALITY, WINDOW = 9, 24


def all_files() -> Iterator[tuple[str, str]]:
    """Name and path of each file; of several of one name, the one that is served."""
    seen = set()
    for finder in finders.get_finders():
        for name, storage in finder.list(None):
            whole = "/".join(filter(None, [getattr(storage, "prefix", ""), name]))
            if whole not in seen:
                seen.add(whole)
                yield whole, storage.path(name)


def packed(path: str) -> dict[str, str]:
    """Paths of the compressed copies of a file, by encoding, whether there or not."""
    stem = folder() / content_hash(path)
    return {"br": f"{stem}.br", "gzip": f"{stem}.gz"}


def folder() -> Path:
    return Path(settings.DATA_DIR) / "packed"


def pack() -> int:
    """Compress files without a copy, forget copies of old files; how many are new."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    kept, new = set(), 0
    for _, path in all_files():
        if not path.endswith(SUFFIXES) or os.path.getsize(path) < LEAST:
            continue
        copies = packed(path)
        kept |= set(copies.values())
        if not all(map(os.path.exists, copies.values())):
            _write(Path(path).read_bytes(), copies)
            new += 1
    for old in folder().iterdir():
        if old.suffix in (".br", ".gz") and str(old) not in kept:
            old.unlink(missing_ok=True)
    return new


def _write(content: bytes, copies: dict[str, str]) -> None:
    made = {
        "br": brotli.compress(content, quality=QUALITY, lgwin=WINDOW),
        "gzip": gzip.compress(content, QUALITY, mtime=0),
    }
    for encoding, compressed in made.items():
        # Another process that looks meanwhile must not find half a file.
        half = Path(f"{copies[encoding]}.{os.getpid()}")
        half.write_bytes(compressed)
        half.replace(copies[encoding])
