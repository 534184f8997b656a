"""Whether all parts work: for a load balancer, and in words for staff."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache

from celery import current_app
from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from evalapp import faults, storage
from evalapp.work import clocks, heartbeats, queues

KEPT_SECONDS = 5  # who asks a hundred times a second does not reach the parts
BROKER_SECONDS = 2
LATE = timedelta(hours=3)  # a round of all chores comes each hour
# A site can do without judges, but not without those who do the work of these.
WORKED = (queues.GPU, queues.CPU, queues.DEFAULT)


def problems() -> dict[str, str]:
    """What is wrong, by part, for the operator. Empty if all is well."""
    return dict(_looked(int(time.monotonic() // KEPT_SECONDS), tuple(PARTS)))


@lru_cache(maxsize=2)
def _looked(period: int, parts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found = []
    for part in parts:
        try:
            PARTS[part]()
        except Exception as error:
            fault = faults.of(error)
            found.append((part, fault.told if fault else str(error)))
    return tuple(found)


def _database() -> None:
    get_user_model().objects.exists()


def _files() -> None:
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
        file.write(bytes(4096))
        file.flush()


def _broker() -> None:
    """Work only waits while it is away: see dispatch.py."""
    try:
        with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
    except Exception as error:
        raise RuntimeError(
            f"The broker does not answer ({error}). New work waits until it does."
            " Start it, or correct CELERY_BROKER_URL."
        ) from None


def _worker() -> None:
    worked = (*WORKED, queues.MAIL) if settings.EMAIL_READY else WORKED
    alive = heartbeats.n_alive(now=timezone.now(), of=worked)
    alone = [queue for queue in worked if not alive[queue]]
    if len(alone) == len(worked):
        raise RuntimeError("No worker is running, so metrics and results wait.")
    if alone:
        which, these = _named(alone), ",".join(alone)
        raise RuntimeError(
            f"No running worker takes the {which}, so work waits there. Start one with"
            f" -Q {these}."
        )


def _chores() -> None:
    """Only a worker does them, so a site without one keeps what it said it deletes."""
    last = heartbeats.chores_done_at()
    if last is not None and last > timezone.now() - LATE:
        return
    when = f"since {last:%d %B %Y at %H:%M} UTC" if last else "yet"
    raise RuntimeError(
        f"No worker has done all chores {when}, so ids, addresses and files are kept"
        " for longer than you promise. Start a worker. If one is running, its log names"
        " the chore that fails."
    )


def _clocks() -> None:
    """Workers delete nothing for good while theirs are wrong, and this one stamps what
    they count from."""
    there = clocks.of_database()
    off = [
        _off(f"the worker {owner.rpartition('/')[0]}", ahead)
        for owner, ahead in clocks.wrong(now=there).items()
    ]
    ahead = timezone.now() - there
    if abs(ahead) > clocks.APART:
        off.append(_off("the machine that serves this page", ahead))
    if off:
        raise RuntimeError(
            f"{' '.join(off)} Workers with a wrong clock delete nothing for good. Set"
            " all clocks with NTP."
        )


def _off(whose: str, ahead: timedelta) -> str:
    way = "ahead of" if ahead > timedelta(0) else "behind"
    # Without microseconds: "31 days, 0:00:12".
    by = timedelta(seconds=round(abs(ahead).total_seconds()))
    return f"The clock of {whose} is {by} {way} the database’s."


def _named(found: list[str]) -> str:
    return f"queue {found[0]}" if len(found) == 1 else f"queues {' and '.join(found)}"


PARTS: dict[str, Callable[[], None]] = {
    "database": _database,
    "files": _files,
    "storage": storage.check,
    "broker": _broker,
    "worker": _worker,
    "chores": _chores,
    "clocks": _clocks,
}
# Without these no page can be answered. What the others do can wait, and
# without the storage people can still rate.
NEEDED = ("database", "files")


def away() -> list[str]:
    """Parts without which no page can be answered, and that do not work.

    Others are not asked: one that says nothing for long would keep load balancers
    waiting, and with them the people who could rate.
    """
    return [part for part, _ in _looked(int(time.monotonic() // KEPT_SECONDS), NEEDED)]
