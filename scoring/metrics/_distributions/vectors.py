"""Embeddings kept on disk, so that human texts are embedded once for all systems.

A folder for each model and way of embedding, in it files of some hundred vectors that
are written whole and never changed: workers need no lock, and whatever is wrong with a
file, its texts are embedded again. Texts themselves are not kept, only their hashes.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

import numpy as np

log = logging.getLogger(__name__)

LIMIT = 2 * 1024**3  # bytes; beyond it what was not used for longest is deleted


class Sharing(Protocol):
    """How workers share what they embed, and agree on who embeds what."""

    def fetch(self, folder: Path) -> None:
        """Bring the files of one model that others have made."""

    def send(self, file: Path) -> None:
        """Let others have a file that was made here."""

    def claimed(self, name: str) -> AbstractContextManager[bool]:
        """Whether this worker may do what has that name, while the block runs."""


_folder: Path | None = None
_sharing: Sharing | None = None


def keep_in(folder: Path | None, sharing: Sharing | None = None) -> None:
    """Keep what is embedded from now on in that folder; None: nowhere.

    Args:
        folder: Of this machine.
        sharing: With other workers; None: with those that use the same folder.
    """
    global _folder, _sharing
    _folder, _sharing = folder, sharing


class Kept:
    """The vectors of one model, pooled in one way."""

    def __init__(self, *names: str | int) -> None:
        """`names` tell everything that changes a vector, but its text."""
        self._name = _digest("|".join(map(str, names))).hex()[:32]

    def read(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Those vectors that there are, by text."""
        if _folder is None:
            return {}
        if _sharing:
            _sharing.fetch(_folder / self._name)
        wanted = {_digest(text): text for text in texts}
        found: dict[str, np.ndarray] = {}
        for file in sorted((_folder / self._name).glob("*.npy")):
            if len(found) == len(wanted):
                break
            try:
                found |= _read(file, wanted)
            except (OSError, EOFError, ValueError, LookupError):
                log.warning("cannot read %s: its texts will be embedded again", file)
                with contextlib.suppress(OSError):
                    file.unlink()
        return found

    def write(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Keep vectors, (n, width) float32. A disk that is full ends no run."""
        if _folder is None or not len(texts):
            return
        kind = [("text", "V32"), ("vector", np.float32, vectors.shape[1:])]
        rows = np.empty(len(texts), dtype=kind)
        rows["text"] = np.array([_digest(text) for text in texts], dtype="V32")
        rows["vector"] = vectors
        try:
            file = _write(_folder / self._name, rows)
            _shrink(_folder)
        except OSError as error:
            log.warning("embeddings were not stored: %s", error)
            return
        if _sharing:
            _sharing.send(file)

    @property
    def is_shared(self) -> bool:
        """Whether another worker may embed the same texts meanwhile."""
        return _sharing is not None and _folder is not None

    def claimed(self, texts: Sequence[str]) -> AbstractContextManager[bool]:
        """Whether this worker may embed these texts: False while another one does."""
        if _sharing is None or _folder is None:
            return nullcontext(True)
        told = b"".join(_digest(text) for text in sorted(texts))
        digest = hashlib.sha256(told).hexdigest()[:32]
        return _sharing.claimed(f"{self._name}/{digest}")


def _digest(text: str) -> bytes:
    # A lone surrogate is no valid UTF-8, and no reason to end a run.
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _read(file: Path, wanted: dict[bytes, str]) -> dict[str, np.ndarray]:
    rows = np.load(file, mmap_mode="r", allow_pickle=False)
    digests = rows["text"].tolist()
    chosen = [k for k, digest in enumerate(digests) if digest in wanted]
    if chosen:
        os.utime(file)
    vectors = np.array(rows["vector"][chosen])
    return {
        wanted[digests[k]]: vector for k, vector in zip(chosen, vectors, strict=True)
    }


def _write(folder: Path, rows: np.ndarray) -> Path:
    """Under another name first: nobody must read half a file."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = uuid.uuid4().hex
    part = folder / f"{name}.part"
    try:
        with part.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
        return part.rename(folder / f"{name}.npy")
    finally:
        part.unlink(missing_ok=True)


def _shrink(folder: Path) -> None:
    """Delete the files that were not used for longest, down to the limit."""
    files = []
    for file in folder.glob("*/*"):
        with contextlib.suppress(FileNotFoundError):  # another worker was faster
            stat = file.stat()
            files.append((stat.st_mtime, stat.st_size, file))
    left = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if left <= LIMIT:
            break
        file.unlink(missing_ok=True)
        left -= size
