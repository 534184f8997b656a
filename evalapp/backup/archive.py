"""A tar whose last member, manifest.json, lists all others with size and SHA-256.

Nothing is trusted before all of it was read once: an archive that is cut or damaged, or
that has a member which no backup has, is refused before anything changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Self

from django.core.exceptions import SuspiciousFileOperation

from evalapp.backup import files
from evalapp.storage.names import checked

FORMAT = 1
MANIFEST = "manifest.json"
MANIFEST_BYTES = 256 * 2**20
HEADER_BYTES = 2**16  # of a long name: tarfile reads it into memory whole
DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
BLOCK = 2**20


class BackupError(Exception):
    """Says what was expected, what came, and what to do."""


@dataclass
class Manifest:
    """What an archive says of itself."""

    version: str  # of EvalApp
    made_at: str
    vendor: str  # of the database
    migrations: list[list[str]]  # [app, name, when], those applied
    format: int = FORMAT
    members: dict[str, list[Any]] = field(default_factory=dict)  # name: [size, sha256]

    @property
    def size(self) -> int:
        return sum(size for size, _ in self.members.values())

    def content(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    def digest(self) -> str:
        """Tells one archive from another."""
        return hashlib.sha256(self.content()).hexdigest()


class Writer:
    """Adds members; the manifest ends the archive."""

    def __init__(self, file: IO[bytes], manifest: Manifest) -> None:
        self.tar = tarfile.TarFile(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)
        self.manifest = manifest

    def add(self, name: str, path: Path) -> None:
        """A second member of a name takes the place of the first.

        Raises:
            FileNotFoundError: It was deleted in the meantime.
            BackupError: No backup may hold that name: it could not be restored.
        """
        if not is_ours(name):
            raise BackupError(
                f"A backup cannot contain {name!r}: the name has unusual characters or"
                " is too long. Rename the file."
            )
        with path.open("rb") as source:
            size = os.fstat(source.fileno()).st_size  # of this file, if it is replaced
            reader = _Hashing(source, size)
            self.tar.addfile(_member(name, size), reader)
        self.manifest.members[name] = [size, reader.sha256.hexdigest()]

    def close(self) -> None:
        content = self.manifest.content()
        if len(content) > MANIFEST_BYTES:
            raise BackupError(
                "There are too many files for one backup. Use --without-models, or"
                " delete studies that you do not need."
            )
        self.tar.addfile(_member(MANIFEST, len(content)), BytesIO(content))
        self.tar.close()


class _Hashing:
    """Reads exactly `size` bytes: a file that grows meanwhile is cut, one that shrinks
    is filled up, as tar has written its size already."""

    def __init__(self, source: IO[bytes], size: int) -> None:
        self.source, self.left = source, size
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        wanted = self.left if size < 0 else min(size, self.left)
        found = self.source.read(wanted)
        found += bytes(wanted - len(found))
        self.left -= wanted
        self.sha256.update(found)
        return found


def _member(name: str, size: int) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.size, made.mode = size, 0o600
    return made


def is_ours(name: str) -> bool:
    """Whether a backup may hold it: the database, or a file of a folder that we keep.

    So what is extracted stays in its folder, and is put where such a file belongs.
    """
    try:
        checked(name).encode()
    except (SuspiciousFileOperation, UnicodeEncodeError):
        return False
    return name in DATABASES.values() or files.is_kept(name)


# Reading ------------------------------------------------------------------------------


def check(path: Path) -> Manifest:
    """Read all of it once.

    Raises:
        BackupError: It is damaged, or no archive of ours.
    """
    return _read(path, None)


def extract(path: Path, folder: Path) -> Manifest:
    """Write all members to a new folder, under their names. Raises what `check` does.

    They are compared again: the file may be another one since it was checked.
    """
    return _read(path, folder)


def _read(path: Path, folder: Path | None) -> Manifest:
    found: dict[str, list[Any]] = {}
    manifest = None
    with _told(path):
        for name, size, source in _members(path):
            if name == MANIFEST:
                manifest = _manifest(path, size, source)
            else:
                target = folder / name if folder else None
                found[name] = [size, _digest(source, target)]
    if manifest is None:
        raise BackupError(
            f"{path} is incomplete: its list of files is missing, because it was not"
            " written to the end. Use another backup."
        )
    _compare(path, manifest, found)
    return manifest


def _compare(path: Path, manifest: Manifest, found: dict[str, list[Any]]) -> None:
    wrong = sorted(
        name
        for name in {*manifest.members, *found}
        if manifest.members.get(name) != found.get(name)
    )
    if wrong:
        n = len(wrong)
        differ = "1 file does" if n == 1 else f"{n} files do"
        raise BackupError(
            f"{path} is damaged: {differ} not match its list of files, such as"
            f" {wrong[0]}. Use another backup."
        )


class _Foreign(Exception):
    """A member that no backup has."""


class _Header(tarfile.TarInfo):
    """Refuses links, devices and large headers before tarfile looks at what follows."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)
        is_long_name = found.type == tarfile.XHDTYPE and found.size <= HEADER_BYTES
        if found.type != tarfile.REGTYPE and not is_long_name:
            raise _Foreign(found.name)
        return found


def _members(path: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with tarfile.open(path, mode="r:", tarinfo=_Header) as tar:
        for one in tar:
            source = tar.extractfile(one)
            # A sparse file of a few bytes may say that it fills the disk.
            if source is None or one.issparse():
                raise _Foreign(one.name)
            if one.name != MANIFEST and not is_ours(one.name):
                raise _Foreign(one.name)
            yield one.name, one.size, source


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors while an archive is read, in words."""
    try:
        yield
    except _Foreign as error:
        raise BackupError(
            f"{path} contains {str(error)!r}, which no backup contains. Use a file that"
            " `manage.py backup` has written."
        ) from None
    except (tarfile.TarError, EOFError) as error:
        raise BackupError(
            f"{path} cannot be read as a backup: {error}. Expected a file that"
            " `manage.py backup` has written."
        ) from error
    except OSError as error:
        where = error.filename or path
        raise BackupError(
            f"{where} cannot be read or written: {error.strerror}."
        ) from error


def _digest(source: IO[bytes], target: Path | None) -> str:
    """The hash of what comes. It is written to the target, if there is one."""
    sha256 = hashlib.sha256()
    if target:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(target or os.devnull, "wb", opener=_private) as file:
        while block := source.read(BLOCK):
            sha256.update(block)
            file.write(block)
        if target:
            file.flush()
            os.fsync(file.fileno())  # so that it is whole after a power cut, too
    return sha256.hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _manifest(path: Path, size: int, source: IO[bytes]) -> Manifest:
    try:
        if size > MANIFEST_BYTES:
            raise ValueError
        found = json.loads(source.read())
        if found["format"] > FORMAT:
            raise BackupError(
                f"{path} was made by EvalApp {found['version']}, which is newer than"
                " this one. Update EvalApp first."
            )
        made = Manifest(**found)
        made.members[DATABASES[made.vendor]]
        return made
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(f"The list of files in {path} is damaged.") from error
