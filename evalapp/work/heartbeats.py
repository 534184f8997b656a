"""Signs of life of the workers, wherever they run."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from evalapp.work import leases, queues
from evalapp.work.models import ChoreRound, WorkerBeat

ALIVE = timedelta(seconds=30)
FORGOTTEN = timedelta(days=1)
OF_THE_HOST = 0xEFFFFFFC  # Linux: the number of the first namespace of processes


class Gpu(NamedTuple):
    """How full the memory of a device is, with all processes that use it."""

    device: str
    used: int  # bytes
    total: int


class Gpus(NamedTuple):
    """What a worker tells of them."""

    found: tuple[Gpu, ...] = ()
    why_none: str = ""


NOT_TOLD = Gpus(why_none="this worker does not report it")


@cache
def me() -> str:
    """This process, unlike any other: containers share names and process ids."""
    return f"{owner_of(os.getpid())}{secrets.token_hex(4)}"


def owner_of(pid: int) -> str:
    """What the owners of a process of this host begin with."""
    return f"{socket.gethostname()[:60]}{_container()}/{pid}/"


@cache
def _container() -> str:
    """Two containers may share the name of a host, and number their processes alike.

    A process of the other one would then count as dead.
    """
    try:
        space = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return ""  # no Linux, no containers
    return named(space)


def named(space: int) -> str:
    """A namespace of processes, as it is added to the name of the host."""
    return "" if space == OF_THE_HOST else f"~{space:x}"


def beat(
    *, owner: str, now: datetime, queues: Iterable[str] = (), gpus: Gpus = NOT_TOLD
) -> None:
    """A worker that names no queues takes the messages of all."""
    columns = {"seen_at": now, "queues": sorted(queues)}
    columns |= {"gpus": [gpu._asdict() for gpu in gpus.found], "no_gpu": gpus.why_none}
    WorkerBeat.objects.update_or_create(owner=owner, defaults=columns)
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def forget(*, owner: str) -> None:
    """Remove the sign of life of a worker that has ended. `owner` may be a prefix."""
    WorkerBeat.objects.filter(owner__startswith=owner).delete()


def note_chores(*, now: datetime) -> None:
    """A worker has done all chores, and none has failed."""
    ChoreRound.objects.update_or_create(pk=1, defaults={"at": now})


def chores_done_at() -> datetime | None:
    """When that was last so; None: never. One query."""
    return ChoreRound.objects.values_list("at", flat=True).first()


def alive(*, now: datetime, queue: str | None = None) -> list[str]:
    """Owners seen lately, of a queue only those that do its work. One query."""
    queues_of = _queues_of(now)
    return list(queues_of) if queue is None else _takers(queues_of, queue)


def n_alive(*, now: datetime, of: Iterable[str]) -> dict[str, int]:
    """How many workers do the work of each of these queues. One query."""
    queues_of = _queues_of(now)
    return {queue: len(_takers(queues_of, queue)) for queue in of}


def places(*, now: datetime, of: Iterable[str]) -> dict[str, str]:
    """Where messages for each of these queues find a worker. One query at most."""
    names = set(of)
    stood_in_for = names & set(queues.STANDS_IN)
    taken = list(_queues_of(now).values()) if stood_in_for else []
    return {queue: queues.place(queue, taken) for queue in names}


def idle(*, now: datetime, queue: str) -> int:
    """How many of those that do the work of this queue have nothing at hand.

    What a worker of other queues holds keeps none of them busy, nor does what a dead
    one held: until its lease ends, lost messages would wait beside workers with nothing
    to do. All else does: whoever holds it may be a child of a worker, which has no sign
    of life of its own. Several rows of one owner are one that it works on, and others
    whose end it could not write.
    """
    queues_of = _queues_of(now)
    takers = _takers(queues_of, queue)
    if not takers:
        return 0
    owners = set(WorkerBeat.objects.values_list("owner", flat=True))
    busy = leases.holders(now=now) - (owners - set(takers))
    return max(0, len(takers) - len(busy))


def _queues_of(now: datetime) -> dict[str, list[str]]:
    """Living owners, with their queues."""
    beats = WorkerBeat.objects.filter(seen_at__gt=now - ALIVE)
    rows = beats.values_list("owner", "queues")
    return {owner: taken for owner, taken in rows if not _died_here(owner)}


def _takers(queues_of: dict[str, list[str]], queue: str) -> list[str]:
    place = queues.place(queue, queues_of.values())
    return [owner for owner, taken in queues_of.items() if queues.takes(taken, place)]


def dead_here() -> list[str]:
    """Owners on this host whose process is no more: after a crash, say."""
    owners = WorkerBeat.objects.values_list("owner", flat=True)
    return [owner for owner in owners if _died_here(owner)]


def _died_here(owner: str) -> bool:
    host, pid, _ = owner.rsplit("/", 2)
    if not owner.startswith(owner_of(int(pid))):
        return False  # only its own host can tell
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # alive, and someone else's
    return False
