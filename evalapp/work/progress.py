"""How far work of any kind is: the one answer for pages, commands and the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from evalapp.work import heartbeats
from evalapp.work.models import Leased

State = Leased.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one piece of work is, and who is there to do it."""

    state: str
    queue: str  # where it waits
    workers: int  # alive, of that queue
    done: int = 0
    total: int = 0  # 0: not known yet
    failed: int = 0  # parts of it
    stage: str = ""
    rate: float | None = None  # per second, since it began
    seconds_left: float | None = None
    error: str = ""

    @property
    def share(self) -> float:
        if self.state == State.DONE:
            return 1.0
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def percent(self) -> int:
        return min(100, 100 * self.done // max(1, self.total))

    @property
    def ended(self) -> bool:
        return self.state in Leased.ENDED

    @property
    def no_worker(self) -> bool:
        """Whether it waits for a worker that is not there."""
        return not self.ended and not self.workers

    @property
    def minutes_left(self) -> int | None:
        """Rounded up."""
        return None if self.seconds_left is None else 1 + int(self.seconds_left // 60)


def workers_of(queues: Iterable[str], *, now: datetime) -> dict[str, int]:
    """How many workers do the work of each queue. One query; none for no queue."""
    queues = set(queues)
    return heartbeats.n_alive(now=now, of=queues) if queues else {}


def seconds_left(
    *, since: datetime | None, done: int, total: int, now: datetime
) -> float | None:
    """At the pace so far; None where it is not known yet."""
    if not done or not total or since is None:
        return None
    return (now - since).total_seconds() * (total - done) / done
