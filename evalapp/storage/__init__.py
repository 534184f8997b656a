"""Files that one process writes and another one reads, wherever the two run.

Without STORAGE_URL they lie in DATA_DIR under their names. With it they lie in a bucket
that all machines share, and each machine copies what it reads into a folder of its own.
Names are paths below DATA_DIR: "datasets/ID/a.zip". A folder may be kept whole, too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from django.core.files.storage import storages

from evalapp.storage.names import MODELS, Away, Damaged, Entry, Refused
from evalapp.storage.patience import hurry

__all__ = [
    "MODELS",
    "Away",
    "Damaged",
    "Entry",
    "Refused",
    "below",
    "check",
    "children",
    "delete",
    "end_work",
    "find",
    "holds_files",
    "hurry",
    "is_remote",
    "keep",
    "keep_work",
    "lent",
    "let_go",
    "local",
    "move",
    "opened",
    "outline",
    "settle_work",
    "store",
    "tidy",
    "work_in",
    "writing",
    "written_at",
]


class Store(Protocol):
    """What a backend of STORAGES["data"] does; the functions below say it in words."""

    remote: bool

    def writing(self, name: str) -> AbstractContextManager[Path]: ...
    def keep(self, name: str, path: Path) -> None: ...
    def move(self, name: str, to: str) -> None: ...
    def local(self, name: str) -> Path: ...
    def lent(self, name: str) -> AbstractContextManager[Path]: ...
    def opened(self, name: str) -> BinaryIO: ...
    def outline(self, name: str) -> Path: ...
    def find(self, name: str) -> Entry | None: ...
    def children(self, name: str) -> list[Entry]: ...
    def below(self, name: str) -> list[str]: ...
    def holds_files(self, name: str) -> bool: ...
    def written_at(self, name: str) -> datetime: ...
    def remove(self, name: str) -> None: ...
    def work_in(self, name: str) -> Path: ...
    def keep_work(self, name: str, order: tuple[int, int]) -> None: ...
    def settle_work(self, name: str) -> None: ...
    def end_work(self, name: str) -> None: ...
    def let_go(self) -> None: ...
    def tidy(self, now: datetime) -> None: ...
    def check(self) -> None: ...


def store() -> Store:
    return cast(Store, storages["data"])


def is_remote() -> bool:
    """Whether this machine sees only copies of what is stored."""
    return store().remote


def writing(name: str) -> AbstractContextManager[Path]:
    """A path to write a file to, which is kept under its name if all goes well.

    A reader, and a rival writer, sees a whole file or none.

    Raises:
        Away: The storage does not take it.
    """
    return store().writing(name)


def keep(name: str, path: Path) -> None:
    """Keep a file or a whole folder that was written elsewhere; it is gone there.

    Raises:
        Away: The storage does not take it. It is still where it was.
    """
    store().keep(name, path)


def move(name: str, to: str) -> None:
    """Give a file or folder another name, which must be free. Sends nothing again.

    Raises:
        FileNotFoundError: There is none.
        Away: The storage does not do it.
    """
    store().move(name, to)


def local(name: str) -> Path:
    """Where a file or folder can be read on this machine.

    A copy stays until `let_go`: no other process deletes it to make room.

    Raises:
        FileNotFoundError: There is none, or opening the path will say so.
        Damaged: What is stored is not what was kept.
        Away: The storage does not answer.
    """
    return store().local(name)


def lent(name: str) -> AbstractContextManager[Path]:
    """As `local`, for as long as the block runs.

    For answers to requests: their process never calls `let_go`, so with `local` each
    copy would stay until it ends, however full the disk is.
    """
    return store().lent(name)


def opened(name: str) -> BinaryIO:
    """A file, to read. Raises what `local` raises."""
    return store().opened(name)


def outline(name: str) -> Path:
    """A folder as `local`, but large files in it may be empty, of the right size.

    For telling what kind of model it is. Raises what `local` raises.
    """
    return store().outline(name)


def find(name: str) -> Entry | None:
    """A file or folder, if it is stored."""
    return store().find(name)


def children(name: str) -> list[Entry]:
    """What lies in a folder, in order; nothing where there is no folder."""
    return store().children(name)


def below(name: str) -> list[str]:
    """Names of all files in a folder and its folders."""
    return store().below(name)


def holds_files(name: str) -> bool:
    """Whether there is a whole file directly in a folder."""
    return store().holds_files(name)


def written_at(name: str) -> datetime:
    """When something in a folder was written last; long ago where there is none."""
    return store().written_at(name)


def delete(name: str) -> None:
    """A file or folder. Safe to do twice."""
    store().remove(name)


def work_in(name: str) -> Path:
    """A folder to work in for hours, as whoever worked there last has kept it."""
    return store().work_in(name)


def keep_work(name: str, order: tuple[int, int]) -> None:
    """Let whoever works there next begin with the folder as it is.

    Args:
        name: As for `work_in`.
        order: The highest one counts, whoever comes last.
    """
    store().keep_work(name, order)


def settle_work(name: str) -> None:
    """Delete what was kept before. Only for who is sure to be the last to keep it."""
    store().settle_work(name)


def end_work(name: str) -> None:
    """Delete the folder, and all that was kept of it."""
    store().end_work(name)


def let_go() -> None:
    """Copies that this process uses may be deleted now, when others need room."""
    store().let_go()


def tidy(*, now: datetime) -> None:
    """Delete what processes that were killed have left on this machine."""
    store().tidy(now)


def check() -> None:
    """Raises Away where the storage does not answer."""
    store().check()
