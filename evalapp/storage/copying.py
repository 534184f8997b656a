"""Copy what DATA_DIR holds into the storage that STORAGE_URL names, and back."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from evalapp.storage.cache import hash_of
from evalapp.storage.names import MODELS, checked
from evalapp.storage.remote import CONTENTS, Remote

FILES = ("uploads", "parts", "datasets", "embeddings")
CHECKPOINTS = "checkpoints"
UNFINISHED = f"{CHECKPOINTS}/.unfinished"
TRAINED = "model"


class Copied(NamedTuple):
    name: str
    sent: bool  # False: it was there already, and whole


def to_storage(store: Remote) -> Iterator[Copied]:
    """Every file, one after the other. Each is read back and compared.

    Raises:
        Away, Damaged: Run it again: what was copied is not sent again.
    """
    for name, path in _files_here():
        yield Copied(name, _sent(store, name, path))
    for folder in sorted(
        Path(settings.DATA_DIR, CHECKPOINTS).glob(f"[!.]*/*/{TRAINED}")
    ):
        name = str(folder.relative_to(settings.DATA_DIR))
        inside = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in inside:
            at = f"{name}/{path.relative_to(folder)}"
            yield Copied(at, _sent(store, at, path))
        store.upload(name, folder)  # sends the list that makes it whole
    for folder in sorted(Path(settings.DATA_DIR, UNFINISHED).glob("[0-9]*")):
        name = f"{UNFINISHED}/{folder.name}"
        if not store.below(f"{name}/states"):
            shutil.copytree(folder, store.work_in(name), dirs_exist_ok=True)
            store.keep_work(name, (0, 0))
            yield Copied(name, True)


def to_folder(store: Remote) -> Iterator[Copied]:
    """Every file, one after the other, under the name that it had.

    Raises:
        Away, Damaged: Run it again: what was copied is not fetched again.
    """
    for top in (*FILES, CHECKPOINTS, MODELS):
        for name in store.below(top):
            last = name.rpartition("/")[2]
            if last != CONTENTS and not name.startswith(f"{UNFINISHED}/"):
                yield Copied(name, _fetched(store, name))
    for one in store.children(UNFINISHED):
        target = Path(settings.DATA_DIR, one.name)
        shutil.copytree(store.work_in(one.name), target, dirs_exist_ok=True)
        yield Copied(one.name, True)


def _files_here() -> Iterator[tuple[str, Path]]:
    for top in FILES:
        for path in sorted(Path(settings.DATA_DIR, top).rglob("*")):
            half = path.name.startswith(".") or path.suffix == ".part"
            if path.is_file() and not half:
                yield str(path.relative_to(settings.DATA_DIR)), path
    for one in sorted(Path(settings.MODELS_DIR).glob("[!.]*")):
        home = one.resolve()  # an operator may have put a link there
        for path in sorted(home.rglob("*")) if home.is_dir() else [home]:
            if path.is_file() and path.resolve().is_relative_to(home):
                within = f"/{path.relative_to(home)}" if path != home else ""
                yield f"{MODELS}/{one.name}{within}", path


def _sent(store: Remote, name: str, path: Path) -> bool:
    was_there = store.object(name)
    digest = store.put(name, path)
    now_there = store.object(name)
    store.verify(name, digest)
    return was_there is None or now_there is None or was_there != now_there


def _fetched(store: Remote, name: str) -> bool:
    root, name = settings.DATA_DIR, checked(name)  # whoever fills a bucket names files
    if name.startswith(f"{MODELS}/"):
        root, within = settings.MODELS_DIR, name.removeprefix(f"{MODELS}/")
    else:
        within = name
    place = Path(root, within)
    if place.is_file() and store.declared(name, place.stat().st_size) == hash_of(place):
        return False
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = place.with_name(f".{uuid.uuid4().hex[:16]}.part")
    try:
        store.get(name, half)
        half.replace(place)
    finally:
        half.unlink(missing_ok=True)
    return True
