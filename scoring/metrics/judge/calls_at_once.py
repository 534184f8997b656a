"""Asks a judge many questions, as many at once as its endpoint allows."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from scoring.endpoints import event_loop
from scoring.endpoints.client import Client
from scoring.endpoints.readings import Reading
from scoring.endpoints.transport import Connection
from scoring.metrics._engine.base import Progress, silent


class Job(Protocol):
    """One question about a text; it can be told from any other."""

    @property
    def text(self) -> int: ...
    def __hash__(self) -> int: ...


J = TypeVar("J", bound=Job)


class _Done:
    """Texts that are done, told in the thread that waits for them.

    Who listens may well use a database, which an event loop must not.
    """

    def __init__(self, progress: Progress) -> None:
        self.n, self._told, self._progress = 0, 0, progress

    def tell(self) -> None:
        n = self.n
        self._progress(n - self._told)
        self._told = n


def all_of(
    client: Client,
    jobs: Sequence[J],
    ask: Callable[[Connection, J], Awaitable[Reading]],
    progress: Progress | None = None,
) -> dict[J, Reading]:
    """What came of each job.

    Args:
        client: Whose test question was answered.
        jobs: In the order in which they are asked.
        ask: One of them.
        progress: Told of texts whose last job is done.

    Raises:
        MetricError: If the key was refused. All calls until then were kept.
    """
    client.begin()
    done = _Done(progress or silent)
    readings = event_loop.run(_all(client, jobs, ask, done), done.tell)
    done.tell()
    return readings


async def _all(
    client: Client,
    jobs: Sequence[J],
    ask: Callable[[Connection, J], Awaitable[Reading]],
    done: _Done,
) -> dict[J, Reading]:
    readings: dict[J, Reading] = {}
    left = Counter(job.text for job in jobs)
    waiting = iter(jobs)

    async def work(line: Connection) -> None:
        # Workers share one iterator: each job is taken by whoever is free.
        for job in waiting:
            readings[job] = await ask(line, job)
            left[job.text] -= 1
            done.n += 0 if left[job.text] else 1

    async with client.line() as line:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(client.endpoint.calls_at_once):
                    group.create_task(work(line))
        except ExceptionGroup as errors:
            # The first stopped the others: a key that was refused.
            raise errors.exceptions[0] from None
    return readings
