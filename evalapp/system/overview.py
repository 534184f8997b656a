"""Workers, queues, work in progress and failed work, as of now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from evalapp.work import heartbeats, leases
from evalapp.work import queues as names
from evalapp.work.models import Leased, WorkerBeat

SHOWN = 50
LATELY = timedelta(days=7)
State = Leased.State
STATES = Leased.UNFINISHED


class Worker(NamedTuple):
    """A process that takes work."""

    machine: str
    process: str
    queues: list[str]  # empty: all
    seen_at: datetime
    at_hand: list[Leased]
    gpus: heartbeats.Gpus


class Queue(NamedTuple):
    """Where work waits."""

    name: str
    waiting: int
    since: datetime | None  # the oldest message that was sent and not yet answered
    running: int
    workers: int


class Failed(NamedTuple):
    """A run, a training, an analysis ... of which at least one piece has failed."""

    kind: str
    name: str
    error: str
    at: datetime
    page: str
    retry: str


def workers() -> list[Worker]:
    """Those seen lately, by machine."""
    alive = heartbeats.alive(now=timezone.now())
    held: dict[str, list[Leased]] = {}
    for row in in_progress():
        held.setdefault(row.owner, []).append(row)
    found = []
    for beat in WorkerBeat.objects.filter(owner__in=alive).order_by("owner"):
        machine, process, _ = beat.owner.rsplit("/", 2)
        at_hand = held.get(beat.owner, [])
        host = machine.partition("~")[0]
        gpus = heartbeats.Gpus(
            tuple(heartbeats.Gpu(**one) for one in beat.gpus), beat.no_gpu
        )
        found.append(Worker(host, process, beat.queues, beat.seen_at, at_hand, gpus))
    return found


def queues() -> list[Queue]:
    """All that there are, also those that are empty."""
    takers = heartbeats.n_alive(now=timezone.now(), of=names.ALL)
    states: dict[tuple[str, str], int] = dict.fromkeys(product(names.ALL, STATES), 0)
    since: dict[str, datetime] = {}
    for kind in leases.kinds():
        for one in _counted(kind):
            states[one["queue"], one["state"]] += one["n"]
            if one["state"] == State.QUEUED and one["at"]:
                since[one["queue"]] = min(one["at"], since.get(one["queue"], one["at"]))
    return [
        Queue(
            name,
            waiting=states[name, State.QUEUED],
            since=since.get(name),
            running=states[name, State.RUNNING],
            workers=takers[name],
        )
        for name in names.ALL
    ]


def _counted(kind: type[Leased]) -> QuerySet[Any]:
    """By queue and state: how many rows, and when the first message was sent."""
    rows = kind._default_manager.filter(state__in=STATES, queue__in=names.ALL)
    by = rows.order_by().values("queue", "state")
    return by.annotate(n=Count("pk"), at=Min("sent_at"))


def in_progress() -> list[Leased]:
    """Rows that a worker has taken; the first of each kind."""
    return [row for kind in leases.kinds() for row in _running(kind)]


def _running(kind: type[Leased]) -> Iterator[Leased]:
    rows = kind._default_manager.filter(state=State.RUNNING)
    yield from rows.order_by("lease_until", "pk")[:SHOWN]


def n_failed() -> dict[str, int]:
    return {
        kind.KIND: kind._default_manager.filter(state=State.FAILED).count()
        for kind in leases.kinds()
    }


def failed() -> list[Failed]:
    """What failed in the last days, newest first; each page once."""
    since, found = timezone.now() - LATELY, []
    for kind in leases.kinds():
        rows = kind._default_manager.filter(state=State.FAILED, finished_at__gt=since)
        found += [_failed(row) for row in rows.order_by("-finished_at", "-pk")[:SHOWN]]
    found.sort(key=lambda one: one.at, reverse=True)
    once = {one.page or str(n): one for n, one in reversed(list(enumerate(found)))}
    return sorted(once.values(), key=lambda one: one.at, reverse=True)[:SHOWN]


def _failed(row: Leased) -> Failed:
    at = row.finished_at or timezone.now()
    page, retry = row.get_absolute_url(), row.retry_address()
    return Failed(row.KIND, row.in_words(), row.error, at, page, retry)
