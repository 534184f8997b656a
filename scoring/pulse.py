"""A thread in each worker process: sign of life, leases, and the reaper.

Leases are renewed here and not only by progress, because loading a model or one long
batch may take minutes without a word. Every worker reaps, so that no other process is
needed, however many hosts there are; all that a reaper does is safe to do twice.
"""

from __future__ import annotations

import itertools
import logging
import os
import signal
import threading
from collections.abc import Callable
from datetime import datetime

from django.db import close_old_connections, connections
from django.utils import timezone

from annotation import assistant, imports, studies, workers
from annotation.seats import newcomers
from annotation.surveys import opening
from evalapp.accounts import tidying
from evalapp.queue import beats, leases, waking
from scoring import training
from scoring.replication import shelf
from scoring.results import analysing
from scoring.runs import ending
from scoring.scores import evaluator_files, references

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
GRACE_SECONDS = 10.0
SUPERVISOR = "EVALAPP_SUPERVISOR"  # variable: the process that must outlive this one

HALF_A_MINUTE, AN_HOUR = 6, 720  # in beats
Job = Callable[..., object]
REAPERS: tuple[Job, ...] = (waking.reap, ending.end_runs, training.end_all)
JOBS: tuple[tuple[int, Job], ...] = (
    *((1, reaper) for reaper in REAPERS),
    (HALF_A_MINUTE, references.tidy),
    (HALF_A_MINUTE, analysing.refresh),
    (HALF_A_MINUTE, opening.tidy),
    (HALF_A_MINUTE, imports.tidy),
    (HALF_A_MINUTE, studies.purge),
    (AN_HOUR, workers.apply_retention),
    (AN_HOUR, newcomers.forget),
    (AN_HOUR, assistant.tidy),
    (AN_HOUR, shelf.tidy),
    (AN_HOUR, evaluator_files.tidy),
    (AN_HOUR, training.tidy),
    (AN_HOUR, analysing.forget),
    (AN_HOUR, tidying.tidy),
)

_stopped = threading.Event()
_threads: list[threading.Thread] = []


def start() -> None:
    _stopped.clear()
    _threads.append(threading.Thread(target=_loop, name="pulse", daemon=True))
    _threads[-1].start()


def stop() -> None:
    _stopped.set()
    while _threads:
        _threads.pop().join(timeout=EVERY_SECONDS)
    beats.forget(owner=beats.me())


def once(*, owner: str, now: datetime, number: int = 0) -> None:
    """One beat. Renew before reaping: a laptop that slept must not reap its own row."""
    beats.beat(owner=owner, now=now)
    leases.renew_all(owner=owner, now=now)
    for every, job in JOBS:
        if number % every == 0:
            _do(job, now)


def reap(*, now: datetime) -> None:
    """Bring back, or end, what dead workers and lost messages left."""
    for job in REAPERS:
        _do(job, now)


def _do(job: Job, now: datetime) -> None:
    """One that fails, each time perhaps, must not keep the others from their turn."""
    try:
        job(now=now)
    except Exception:
        log.exception("%s failed", job.__qualname__)
        close_old_connections()  # the next one may find the database back


def _loop() -> None:
    for number in itertools.count():
        if _stopped.is_set():
            break
        if _orphaned():
            _leave()
        try:
            close_old_connections()
            once(owner=beats.me(), now=timezone.now(), number=number)
        except Exception:
            # The database may be away for a while. The worker outlives that, and its
            # leases last longer than one beat.
            log.exception("no heartbeat this time")
        _stopped.wait(EVERY_SECONDS)
    connections.close_all()


def _orphaned() -> bool:
    supervisor = os.environ.get(SUPERVISOR)
    return supervisor is not None and os.getppid() != int(supervisor)


def _leave() -> None:
    """Nobody would start, stop or even know this worker any more."""
    os.kill(os.getpid(), signal.SIGTERM)
    if not _stopped.wait(GRACE_SECONDS):
        os._exit(1)
