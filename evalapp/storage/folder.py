"""The default storage: DATA_DIR itself. No copies, no requests, no queries."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.files.storage import FileSystemStorage

from evalapp.storage.names import Entry, checked

LONG_AGO = datetime.fromtimestamp(0, UTC)


class Folder(FileSystemStorage):
    """Django's storage of files, with folders and with writing whole files."""

    remote = False

    # Read each time: tests give each site a folder of its own.
    @property
    def base_location(self) -> str:
        return str(settings.DATA_DIR)

    @property
    def location(self) -> str:
        return str(settings.DATA_DIR)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        place = self._place(name)
        _make(place.parent)
        # The same ending: numpy adds its own where it is missing.
        half = place.with_name(f".{uuid.uuid4().hex[:16]}-{place.name[-200:]}")
        try:
            yield half
            half.replace(place)
        finally:
            half.unlink(missing_ok=True)

    def keep(self, name: str, path: Path) -> None:
        place = self._place(name)
        if path != place:
            _make(place.parent)
            os.replace(path, place)

    def move(self, name: str, to: str) -> None:
        self.keep(to, self._place(name))

    def local(self, name: str) -> Path:
        return self._place(name)

    @contextmanager
    def lent(self, name: str) -> Iterator[Path]:
        yield self._place(name)

    def outline(self, name: str) -> Path:
        return self._place(name)

    def opened(self, name: str) -> BinaryIO:
        return self._place(name).open("rb")

    def find(self, name: str) -> Entry | None:
        place = self._place(name)
        return _entry(name, place) if place.exists() else None

    def children(self, name: str) -> list[Entry]:
        folder = self._place(name)
        found = sorted(folder.iterdir()) if folder.is_dir() else []
        entries = []
        for path in found:
            with suppress(FileNotFoundError):  # deleted meanwhile
                entries.append(_entry(f"{name}/{path.name}", path))
        return entries

    def below(self, name: str) -> list[str]:
        folder, root = self._place(name), Path(settings.DATA_DIR)
        files = (path for path in folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(root)) for path in files)

    def holds_files(self, name: str) -> bool:
        return next(self._place(name).glob("[!.]*"), None) is not None

    def written_at(self, name: str) -> datetime:
        folder = self._place(name)
        inside = [one.modified for one in self.children(name) if not one.is_folder]
        if not inside and folder.exists():
            inside = [_entry(name, folder).modified]
        return max((one for one in inside if one), default=LONG_AGO)

    def remove(self, name: str) -> None:
        place = self._place(name)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)

    # Work is done where it is kept.

    def work_in(self, name: str) -> Path:
        return self._place(name)

    def keep_work(self, name: str, order: tuple[int, int]) -> None: ...

    def settle_work(self, name: str) -> None: ...

    def end_work(self, name: str) -> None:
        self.remove(name)

    def let_go(self) -> None: ...

    def tidy(self, now: datetime) -> None: ...

    def check(self) -> None: ...

    def _place(self, name: str) -> Path:
        return Path(settings.DATA_DIR) / checked(name)


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _entry(name: str, path: Path) -> Entry:
    found = path.stat()
    modified = datetime.fromtimestamp(found.st_mtime, UTC)
    is_folder = path.is_dir()
    return Entry(name, 0 if is_folder else found.st_size, modified, is_folder)
