"""Signs of life of the workers, wherever they run."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import datetime, timedelta
from functools import cache

from evalapp.queue import leases
from evalapp.queue.models import WorkerBeat

ALIVE = timedelta(seconds=30)
FORGOTTEN = timedelta(days=1)


@cache
def me() -> str:
    """This process, unlike any other: containers share names and process ids."""
    return f"{owner_of(os.getpid())}{secrets.token_hex(4)}"


def owner_of(pid: int) -> str:
    """What the owners of a process of this host begin with."""
    return f"{socket.gethostname()[:60]}/{pid}/"


def beat(*, owner: str, now: datetime) -> None:
    WorkerBeat.objects.update_or_create(owner=owner, defaults={"seen_at": now})
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def forget(*, owner: str) -> None:
    """Remove the sign of life of a worker that has ended. `owner` may be a prefix."""
    WorkerBeat.objects.filter(owner__startswith=owner).delete()


def alive(*, now: datetime) -> list[str]:
    """Owners seen lately. One query."""
    seen = WorkerBeat.objects.filter(seen_at__gt=now - ALIVE)
    return [o for o in seen.values_list("owner", flat=True) if not _died_here(o)]


def idle(*, now: datetime) -> int:
    """How many of them have nothing at hand."""
    return max(0, len(alive(now=now)) - leases.n_held(now=now))


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
