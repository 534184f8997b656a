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
from datetime import datetime

from django.db import close_old_connections, connections
from django.utils import timezone

from annotation import workers
from scoring import (
    analysing,
    beats,
    chunks,
    probe_leases,
    probing,
    runs,
    shelving,
    trainings,
)

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
RETENTION_EVERY = 720  # beats: an hour
REFRESH_EVERY = 6  # beats: half a minute
GRACE_SECONDS = 10.0
SUPERVISOR = "EVALAPP_SUPERVISOR"  # variable: the process that must outlive this one

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


def once(*, owner: str, now: datetime) -> None:
    """Renew before reaping: a laptop that slept must not reap its own chunk."""
    beats.beat(owner=owner, now=now)
    chunks.renew_all(owner=owner, now=now)
    analysing.renew_all(owner=owner, now=now)
    probe_leases.renew_all(owner=owner, now=now)
    runs.reap(now=now)
    probing.refresh(now=now)
    trainings.refresh(now=now)


def _loop() -> None:
    for number in itertools.count():
        if _stopped.is_set():
            break
        if _orphaned():
            _leave()
        try:
            close_old_connections()
            once(owner=beats.me(), now=timezone.now())
            if number % REFRESH_EVERY == 0:
                analysing.refresh(now=timezone.now())
            if number % RETENTION_EVERY == 0:
                workers.apply_retention(now=timezone.now())
                shelving.tidy(now=timezone.now())
                trainings.tidy(now=timezone.now())
                analysing.forget(now=timezone.now())
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
