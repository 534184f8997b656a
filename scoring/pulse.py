"""Two threads in each worker process: the pulse, and the chores.

The pulse is the sign of life, the leases, and the reaper. Leases are renewed here and
not only by progress, because loading a model or one long batch may take minutes without
a word. Every worker reaps, so that no other process is needed, however many hosts there
are; all that a reaper does is safe to do twice.

The chores are what can wait. They ask the storage, which may be silent for minutes: in
one thread with the pulse, a living worker would count as dead, and others would do its
work again.
"""

from __future__ import annotations

import itertools
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import close_old_connections, connections
from django.utils import timezone

from annotation import assistant, imports, kept, studies, workers
from annotation.recipients import retention
from annotation.seats import newcomers
from annotation.surveys import opening
from evalapp import storage
from evalapp.accounts import tidying
from evalapp.work import clocks, dispatch, heartbeats, leases
from scoring import data_folder, training
from scoring.publishing.shelf import SHELF as DATA_SETS
from scoring.results import analysing, copied
from scoring.runs import devices, ending, shared_vectors
from scoring.scores import evaluator_files, references

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
CHORES_SECONDS = 30.0  # between two rounds, however long each one takes
GRACE_SECONDS = 10.0
SUPERVISOR = "EVALAPP_SUPERVISOR"  # variable: the process that must outlive this one

HALF_A_MINUTE, TWO_MINUTES, AN_HOUR = 1, 4, 120  # in rounds
Job = Callable[..., object]
Step = Callable[[int], None]  # given how many there were
REAPERS: tuple[Job, ...] = (dispatch.reap, ending.end_runs, training.end_all)
CHORES: tuple[tuple[int, Job], ...] = (
    (HALF_A_MINUTE, references.tidy),
    (HALF_A_MINUTE, analysing.refresh),
    (HALF_A_MINUTE, opening.tidy),
    (HALF_A_MINUTE, imports.tidy),
    (HALF_A_MINUTE, studies.purge),
    (TWO_MINUTES, copied.refresh),
    (AN_HOUR, workers.apply_retention),
    (AN_HOUR, retention.forget_old),
    (AN_HOUR, newcomers.forget),
    (AN_HOUR, assistant.tidy),
    (AN_HOUR, DATA_SETS.tidy),
    (AN_HOUR, evaluator_files.tidy),
    (AN_HOUR, training.tidy),
    (AN_HOUR, shared_vectors.tidy),
    (AN_HOUR, storage.tidy),
    (AN_HOUR, analysing.forget),
    (AN_HOUR, kept.forget),
    (AN_HOUR, tidying.tidy),
    (AN_HOUR, data_folder.tidy),
    (AN_HOUR, data_folder.empty_log),  # last: of what the others deleted
)
# What these delete is nowhere else. They wait while this clock and the database's
# disagree. All others can be done again, or delete what can be made again.
FOR_GOOD: tuple[Job, ...] = (
    *(imports.tidy, studies.purge, workers.apply_retention, retention.forget_old),
    *(assistant.tidy, training.tidy, tidying.tidy, data_folder.tidy),
)

_stopped = threading.Event()
_threads: list[threading.Thread] = []


def start(consumed: Callable[[], Iterable[str]] = tuple) -> None:
    """Beat until `stop`.

    Args:
        consumed: Names of the queues whose messages this worker takes now.
    """
    _stopped.clear()
    _run("pulse", lambda number: _beat(consumed), EVERY_SECONDS)
    _run("chores", _round, CHORES_SECONDS)


def _run(name: str, step: Step, seconds: float) -> None:
    thread = threading.Thread(
        target=_loop, args=[step, seconds], name=name, daemon=True
    )
    _threads.append(thread)
    thread.start()


def stop() -> None:
    _stopped.set()
    while _threads:
        _threads.pop().join(timeout=EVERY_SECONDS)
    heartbeats.forget(owner=heartbeats.me())


def once(*, owner: str, now: datetime, queues: Iterable[str] = ()) -> None:
    """One beat. Renew before reaping: a laptop that slept must not reap its own row."""
    gpus = devices.memory(settings.DEVICE)
    heartbeats.beat(owner=owner, now=now, queues=queues, gpus=gpus)
    leases.renew_all(owner=owner, now=now)
    reap(now=now)


def reap(*, now: datetime) -> None:
    """Bring back, or end, what dead workers and lost messages left."""
    for job in REAPERS:
        _do(job, now)


def chores(*, now: datetime, there: datetime | None = None, number: int = 0) -> None:
    """One round: of all, or later of those whose turn it is.

    Args:
        now: By this worker's clock.
        there: By the database's; left out: the same.
        number: Of the round.
    """
    there = there or now
    agreed = clocks.agreed(here=now, there=there)
    due = [job for every, job in CHORES if number % every == 0]
    done = [_note_clock(now, there)]
    for job in due:
        at = agreed if job in FOR_GOOD else now
        done.append(at is not None and _do(job, at))
    if all(done) and len(due) == len(CHORES):
        heartbeats.note_chores(now=now)


def _note_clock(here: datetime, there: datetime) -> bool:
    def note(now: datetime) -> None:
        clocks.note(owner=heartbeats.me(), here=now, there=there)

    return _do(note, here)


def _do(job: Job, now: datetime) -> bool:
    """One that fails, each time perhaps, must not keep the others from their turn."""
    try:
        job(now=now)
    except Exception:
        log.exception("%s failed", job.__qualname__)
        close_old_connections()  # the next one may find the database back
        return False
    return True


def _beat(consumed: Callable[[], Iterable[str]]) -> None:
    if _orphaned():
        _leave()
    once(owner=heartbeats.me(), now=timezone.now(), queues=consumed())
    if settings.PULSE_FILE:  # not before: a worker without a database is not well
        Path(settings.PULSE_FILE).touch()


def _round(number: int) -> None:
    chores(now=timezone.now(), there=clocks.of_database(), number=number)
    connections.close_all()  # idle until the next round: not another one per worker


def _loop(step: Step, seconds: float) -> None:
    for number in itertools.count():
        try:
            close_old_connections()
            step(number)
        except Exception:
            # The database may be away for a while. The worker outlives that, and its
            # leases last longer than one beat.
            log.exception("the %s failed this time", threading.current_thread().name)
        if _stopped.wait(seconds):
            break
    connections.close_all()


def _orphaned() -> bool:
    supervisor = os.environ.get(SUPERVISOR)
    return supervisor is not None and os.getppid() != int(supervisor)


def _leave() -> None:
    """Nobody would start, stop or even know this worker any more."""
    os.kill(os.getpid(), signal.SIGTERM)
    if not _stopped.wait(GRACE_SECONDS):
        os._exit(1)
