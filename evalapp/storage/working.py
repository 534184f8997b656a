"""A folder in which work goes on for hours, on one machine after another.

Its files are stored by their hashes, so that only what has changed is sent again, and
each state of the folder is a list of them. The list with the highest order counts.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalapp.storage import cache
from evalapp.storage.bucket import Bucket
from evalapp.storage.names import checked

STATES, FILES = "states", "files"
BEGAN = ".state"  # which state the folder on this machine began with, or became


class Working:
    """The folder of one piece of work."""

    def __init__(self, bucket: Bucket, name: str, root: Path) -> None:
        self.bucket, self.name = bucket, name
        self.home = root / name.replace("/", "~")
        self.folder = self.home / "folder"

    def begin(self) -> Path:
        """The folder as it was kept last.

        Where that is the state which this machine began with, what it did since is
        kept: it may be ahead after its worker was stopped.
        """
        with suppress(FileNotFoundError):
            os.utime(self.home)  # else `tidy` would delete what nobody used for a day
        newest = max(self._states(), default="")
        if not self.folder.is_dir() or self._began() != newest:
            shutil.rmtree(self.home, ignore_errors=True)
            self.folder.mkdir(mode=0o700, parents=True)
            for at, digest in self._listed(newest).items():
                blob = f"{self.name}/{FILES}/{digest}"
                self.bucket.get(blob, self.folder / checked(at), digest)
            (self.home / BEGAN).write_text(newest)
        return self.folder

    def keep(self, order: tuple[int, int]) -> None:
        files = sorted(one for one in self.folder.rglob("*") if one.is_file())
        listed = {}
        for file in files:
            digest = cache.hash_of(file)
            self.bucket.put(f"{self.name}/{FILES}/{digest}", file)
            listed[str(file.relative_to(self.folder))] = digest
        state = f"{order[0]:08d}-{order[1]:03d}-{uuid.uuid4().hex[:8]}"
        content = json.dumps(listed).encode()
        self.bucket.write(f"{self.name}/{STATES}/{state}", content)
        (self.home / BEGAN).write_text(state)

    def newest(self) -> dict[str, str]:
        """The hashes of the files that were kept last, by their place."""
        return self._listed(max(self._states(), default=""))

    def settle(self) -> None:
        """Delete older states, and files that only they have. Newer ones stay."""
        mine = self._began()
        old = [state for state in self._states() if state < mine]
        gone = {digest for state in old for digest in self._listed(state).values()}
        gone -= set(self._listed(mine).values())
        files = [f"{self.name}/{FILES}/{digest}" for digest in sorted(gone)]
        self.bucket.remove_all([f"{self.name}/{STATES}/{one}" for one in old])
        self.bucket.remove_all(files)  # afterwards: no list names what is gone

    def end(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)

    def _states(self) -> list[str]:
        prefix = f"{self.name}/{STATES}/"
        return [one.name.removeprefix(prefix) for one in self.bucket.objects(prefix)]

    def _listed(self, state: str) -> dict[str, str]:
        if not state:
            return {}
        found: Any = json.loads(self.bucket.text(f"{self.name}/{STATES}/{state}"))
        return dict(found)

    def _began(self) -> str:
        try:
            return (self.home / BEGAN).read_text()
        except FileNotFoundError:
            return ""
