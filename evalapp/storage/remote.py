"""Files in a bucket that all machines share, read through copies on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from django.conf import settings

from evalapp.storage import cache
from evalapp.storage.bucket import Bucket, Object
from evalapp.storage.cache import Cache
from evalapp.storage.names import MODELS, Damaged, Entry, checked
from evalapp.storage.working import FILES, Working

# Lists the files of a kept folder with their hashes. Written last: a folder without it
# was cut off. Folders of models need none: an operator may fill them by hand.
CONTENTS = ".contents.json"
LONG_AGO = datetime.fromtimestamp(0, UTC)
OUTLINED = 16 << 20  # bytes; only weights are larger
WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
LEFT = timedelta(days=1)


class Seen(NamedTuple):
    """What is stored under a name: one file, or the files of a folder."""

    name: str
    files: Mapping[str, Object]  # by their place in it; "": the file itself

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.files.values())

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]

    def key(self, *more: str) -> str:
        """Another one for other contents, and for another bucket."""
        files = [(at, one.bytes, one.version) for at, one in sorted(self.files.items())]
        told = repr((self.name, files, more)).encode(errors="surrogatepass")
        return hashlib.sha256(told).hexdigest()[:32]


class Remote(Bucket):
    """The storage that STORAGE_URL names."""

    remote = True

    @property
    def cache(self) -> Cache:
        return Cache(Path(settings.CACHE_DIR), settings.CACHE_MAX_BYTES)

    # Writing --------------------------------------------------------------------------

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        place = checked(name).rpartition("/")[2]
        home = self.cache.folder / "half" / uuid.uuid4().hex
        home.mkdir(mode=0o700, parents=True)
        try:
            yield home / place
            self.put(name, home / place)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def keep(self, name: str, path: Path) -> None:
        self.upload(name, path)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def upload(self, name: str, path: Path) -> None:
        """As `keep`, and the files stay where they are, too."""
        if not path.is_dir():
            self.put(name, path)
            return
        files = sorted(one for one in path.rglob("*") if one.is_file())
        within = {str(one.relative_to(path)): one for one in files}
        hashes = {at: self.put(f"{name}/{at}", one) for at, one in within.items()}
        if not _by_hand(name):
            self.write(f"{name}/{CONTENTS}", json.dumps(hashes).encode())

    def move(self, name: str, to: str) -> None:
        seen = self._needed(name)
        places = {at: f"{to}/{at}" if at else to for at in seen.files}
        for at in sorted(places, key=lambda at: at == CONTENTS):  # the list last
            self.copy(seen.files[at].name, places[at])
        self.remove(name)

    def remove(self, name: str) -> None:
        """The list of a folder first: what is left without it is no folder."""
        found = [one.name for one in self.objects(f"{checked(name)}/")]
        lists = [one for one in found if one.endswith(f"/{CONTENTS}")]
        files = [one for one in found if one not in lists]
        self.remove_all(lists)
        self.remove_all([name, *files])

    # Reading --------------------------------------------------------------------------

    def local(self, name: str) -> Path:
        seen = self._needed(name)
        fetch = partial(self._fetched, seen)
        return self.cache.get(seen.key(self.where), seen.base, seen.bytes, fetch)

    @contextmanager
    def lent(self, name: str) -> Iterator[Path]:
        seen = self._needed(name)
        fetch = partial(self._fetched, seen)
        key = seen.key(self.where)
        with self.cache.using(key, seen.base, seen.bytes, fetch) as path:
            yield path

    def opened(self, name: str) -> BinaryIO:
        with self.lent(name) as path:
            return path.open("rb")  # an open file outlives its name

    def outline(self, name: str) -> Path:
        seen = self._needed(name)
        small = sum(one.bytes for at, one in seen.files.items() if not _large(at, one))
        key = seen.key(self.where, "outline")
        fetch = partial(self._outlined, seen)
        return self.cache.get(key, seen.base, small, fetch)

    def find(self, name: str) -> Entry | None:
        seen = self._seen(name)
        if seen is None:
            return None
        modified = max(one.modified for one in seen.files.values())
        return Entry(name, seen.bytes, modified, "" not in seen.files)

    def children(self, name: str) -> list[Entry]:
        folders, files = self.level(checked(name))
        found = [Entry(one, is_folder=True) for one in folders]
        found += [Entry(one.name, one.bytes, one.modified) for one in files]
        listed = (one for one in found if one.base != CONTENTS)
        return sorted(listed, key=lambda one: one.name)

    def below(self, name: str) -> list[str]:
        found = self.objects(f"{checked(name)}/")
        return [one.name for one in found if not _is_empty_folder(one)]

    def holds_files(self, name: str) -> bool:
        return next(self.objects(f"{checked(name)}/", most=1), None) is not None

    def written_at(self, name: str) -> datetime:
        found = (one.modified for one in self.objects(f"{checked(name)}/"))
        return max(found, default=LONG_AGO)

    def contents(self, name: str) -> dict[str, str]:
        """The hashes of the files of a kept folder, by their place in it.

        Raises:
            FileNotFoundError: There is none, or it was cut off.
            Damaged: It lacks one of them.
        """
        return self._hashes(self._needed(name))

    # Work -----------------------------------------------------------------------------

    def work_in(self, name: str) -> Path:
        return self._working(name).begin()

    def keep_work(self, name: str, order: tuple[int, int]) -> None:
        self._working(name).keep(order)

    def settle_work(self, name: str) -> None:
        self._working(name).settle()

    def end_work(self, name: str) -> None:
        self._working(name).end()
        self.remove(name)

    def kept_work(self, name: str) -> dict[str, tuple[str, str]]:
        """Of each file of work as it was kept last: its stored name and its hash."""
        newest = self._working(name).newest()
        return {at: (f"{name}/{FILES}/{of}", of) for at, of in newest.items()}

    def _working(self, name: str) -> Working:
        return Working(self, checked(name), self.cache.folder / "work")

    # This machine ---------------------------------------------------------------------

    def let_go(self) -> None:
        cache.let_go()

    def tidy(self, now: datetime) -> None:
        for left in ("half/*", "work/*"):
            for path in self.cache.folder.glob(left):
                inside = [path, *path.rglob("*")]
                times = (one.stat().st_mtime for one in inside if one.exists())
                if max(times, default=0.0) < (now - LEFT).timestamp():
                    shutil.rmtree(path, ignore_errors=True)

    # ----------------------------------------------------------------------------------

    def _needed(self, name: str) -> Seen:
        if (seen := self._seen(name)) is None:
            raise FileNotFoundError(f"{name} is not stored")
        return seen

    def _seen(self, name: str) -> Seen | None:
        if file := self.object(checked(name)):
            return Seen(name, {"": file})
        files = {
            checked(one.name.removeprefix(f"{name}/")): one  # may hold any characters
            for one in self.objects(f"{name}/")
            if not _is_empty_folder(one)
        }
        whole = CONTENTS in files or (files and _by_hand(name))
        return Seen(name, files) if whole else None

    def _fetched(self, seen: Seen, place: Path) -> dict[str, str]:
        if "" in seen.files:
            return {"": self.get(seen.name, place)}
        return {
            at: self.get(f"{seen.name}/{at}", place / at, digest)
            for at, digest in self._hashes(seen).items()
        }

    def _outlined(self, seen: Seen, place: Path) -> dict[str, str]:
        copied = {}
        for at, one in seen.files.items():
            if not _large(at, one):
                copied[at] = self.get(one.name, place / at)
                continue
            (place / at).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (place / at).open("wb") as file:
                os.truncate(file.fileno(), one.bytes)  # takes no room on the disk
        return copied

    def _hashes(self, seen: Seen) -> dict[str, str]:
        """Of the files of a folder; "" where nobody has said what they should be."""
        if CONTENTS not in seen.files:
            return dict.fromkeys(seen.files, "")
        found: Any = json.loads(self.text(f"{seen.name}/{CONTENTS}"))
        if missing := sorted(set(found) - set(seen.files)):
            raise Damaged(
                f"The stored folder {seen.name} is damaged: {missing[0]} is missing."
                f" Restore it from a backup of {self.where}, or delete it."
            )
        return {str(at): str(digest) for at, digest in found.items()}


def _is_empty_folder(one: Object) -> bool:
    """Some clients write such an object."""
    return one.name.endswith("/")


def _by_hand(name: str) -> bool:
    return name.startswith(f"{MODELS}/")


def _large(at: str, one: Object) -> bool:
    return at.endswith(WEIGHTS) or one.bytes > OUTLINED
