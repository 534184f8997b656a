"""What a backup holds of the bucket that STORAGE_URL names, and back into one.

Imported only where there is a bucket: its packages are in requirements-server.txt.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import cast

from evalapp import storage
from evalapp.backup.files import FOLDERS, HOME, MODELS, STORED, Source
from evalapp.storage.copying import CHECKPOINTS, TRAINED, UNFINISHED
from evalapp.storage.remote import CONTENTS, Remote


def found(*, models: bool) -> Iterator[tuple[str, Source]]:
    """Members, named as if the files lay in a folder.

    Raises:
        Away, Damaged: The bucket does not answer, or lacks a part of a folder.
    """
    store = cast(Remote, storage.store())
    for top in FOLDERS:
        if top != CHECKPOINTS:
            yield from _files(store, top, HOME)
    yield from _trained(store)
    yield from _unfinished(store)
    if models:
        yield from _files(store, MODELS, STORED)


def _files(store: Remote, top: str, home: str) -> Iterator[tuple[str, Source]]:
    # All names first: reading the files takes longer than a server keeps its place.
    for one in list(store.objects(f"{top}/")):
        if not one.name.endswith("/"):  # an empty folder of some clients
            fetch = partial(_fetched, store, one.name, "")
            yield f"{home}/{one.name}", Source(one.version, fetch)


def _trained(store: Remote) -> Iterator[tuple[str, Source]]:
    """Of folders that are whole. One that was cut off would be whole once restored."""
    objects = [one.name for one in store.objects(f"{CHECKPOINTS}/")]
    for name in objects:
        folder, _, last = name.rpartition("/")
        if last != CONTENTS or name.startswith(f"{UNFINISHED}/"):
            continue
        try:
            hashes = store.contents(folder)
        except FileNotFoundError:
            continue  # deleted in the meantime
        for at, of in hashes.items():
            fetch = partial(_fetched, store, f"{folder}/{at}", of)
            yield f"{HOME}/{folder}/{at}", Source(of, fetch)


def _unfinished(store: Remote) -> Iterator[tuple[str, Source]]:
    """Of trainings that go on: what they kept last."""
    for one in store.children(UNFINISHED):
        try:
            work = store.kept_work(one.name)
        except FileNotFoundError:
            continue  # it ended in the meantime
        for at, (name, of) in work.items():
            fetch = partial(_fetched, store, name, of)
            yield f"{HOME}/{one.name}/{at}", Source(of, fetch)


def _fetched(store: Remote, name: str, expected: str, half: Path) -> Path:
    """Copied whole before it goes into the archive: only then its hash is known, and a
    connection that breaks can be tried again."""
    store.get(name, half, expected)
    return half


# Back ---------------------------------------------------------------------------------


def send(kept: Path, stored: Path) -> None:
    """Store what was extracted, read it back, and delete it here. Safe to do again.

    Raises:
        Away, Damaged: The bucket does not take it.
    """
    store = cast(Remote, storage.store())
    for folder in sorted((kept / CHECKPOINTS).glob(f"[!.]*/*/{TRAINED}")):
        _send_folder(store, folder.relative_to(kept).as_posix(), folder)
    for folder in sorted((kept / UNFINISHED).glob("[0-9]*")):
        _send_work(store, folder.relative_to(kept).as_posix(), folder)
    for root, tops in ((kept, FOLDERS), (stored, (MODELS,))):
        for path in (path for top in tops for path in sorted((root / top).rglob("*"))):
            if path.is_file():
                _send(store, path.relative_to(root).as_posix(), path)
                path.unlink()


def _send(store: Remote, name: str, path: Path) -> None:
    store.verify(name, store.put(name, path))


def _send_folder(store: Remote, name: str, folder: Path) -> None:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        _send(store, f"{name}/{path.relative_to(folder).as_posix()}", path)
    store.keep(name, folder)  # sends only the list, which makes it whole


def _send_work(store: Remote, name: str, folder: Path) -> None:
    shutil.copytree(folder, store.work_in(name), dirs_exist_ok=True)
    store.keep_work(name, (0, 0))
    shutil.rmtree(folder)
