"""Keep one worker alive on this machine, for the site or for the length of a run."""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import IO

from django.conf import settings

from evalapp.work import dispatch, heartbeats, leases
from scoring import pulse
from scoring.runs import devices

log = logging.getLogger(__name__)

REAP_SECONDS = 5.0
SLEEP_SECONDS = 30.0  # nobody called for longer: this machine slept
GRACE_SECONDS = 10.0  # a worker lets go of its chunk at the next batch
LONGEST_PAUSE_SECONDS = 30.0
LOG_BYTES = 5_000_000


class Supervisor:
    """Call `tick` every second or so, and `stop` at the end.

    Args:
        unless_taken: Queues; start a worker only while one of them has no living worker
            anywhere that does its work. Without any, it starts one in any case.
        spare_cores: How many cores to leave to the site.
    """

    def __init__(
        self, *, unless_taken: Collection[str] = (), spare_cores: int = 0
    ) -> None:
        self.unless_taken = unless_taken
        self.spare_cores = spare_cores
        self.child: subprocess.Popen[bytes] | None = None
        self.deaths = 0
        self.next_start = self.next_reap = self.started = 0.0
        self.last_tick: datetime | None = None

    def tick(self, *, now: datetime) -> None:
        self._wake_up(now)
        if self.child and self.child.poll() is not None:
            self._bury(now)
        if not self.child and self._is_wanted(now):
            self._start(now)
        if time.monotonic() >= self.next_reap:
            pulse.reap(now=now)
            self.next_reap = time.monotonic() + REAP_SECONDS

    def _wake_up(self, now: datetime) -> None:
        """After a sleep of this machine, the worker renews its leases first.

        They have all run out, and its own row would be queued again under it.
        """
        if self.last_tick and (now - self.last_tick).total_seconds() > SLEEP_SECONDS:
            self.next_reap = time.monotonic() + 3 * REAP_SECONDS
        self.last_tick = now

    def stop(self, *, now: datetime) -> None:
        """End the worker; what it had at hand is free for the next one at once."""
        if self.child:
            end(self.child)
            self._release(self.child.pid, now)
            self.child = None

    def _is_wanted(self, now: datetime) -> bool:
        if time.monotonic() < self.next_start:
            return False
        taken = heartbeats.n_alive(now=now, of=self.unless_taken)
        return not taken or not all(taken.values())

    def _start(self, now: datetime) -> None:
        for owner in heartbeats.dead_here():  # left by a crash of this whole machine
            _forget(owner, now)
        self.child = spawn(
            worker_command(),
            output=worker_log(),
            OMP_NUM_THREADS=str(max(1, (os.cpu_count() or 1) - self.spare_cores)),
        )
        self.started = time.monotonic()

    def _bury(self, now: datetime) -> None:
        """The worker has died: its chunk goes back, and a new one comes, but not hasty.

        1 s after the first death, then 2, 4, ... as long as it dies within a minute.
        """
        assert self.child
        if time.monotonic() - self.started > 60:
            self.deaths = 0
        pause = min(2.0**self.deaths, LONGEST_PAUSE_SECONDS)
        self.deaths += 1
        self.next_start = time.monotonic() + pause
        log.warning(
            "the worker ended with %s; a new one starts in %.0f s; see %s",
            _how(self.child.returncode),
            pause,
            log_file(),
        )
        if self.child.returncode == devices.NOT_THERE:
            log.warning("%s", _last_line(log_file()))
        self._release(self.child.pid, now)
        self.child = None

    def _release(self, pid: int, now: datetime) -> None:
        _forget(heartbeats.owner_of(pid), now)
        dispatch.forget_messages()
        pulse.reap(now=now)


def _forget(owner: str, now: datetime) -> None:
    leases.release(owner=owner, now=now)
    heartbeats.forget(owner=owner)


def _last_line(file: Path) -> str:
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else ""


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"code {code}"


# Processes ----------------------------------------------------------------------------


def worker_command() -> list[str]:
    name = f"evalapp-{secrets.token_hex(4)}@%h"
    return [
        sys.executable,
        # Celery's advice against root is about pickled messages; ours are JSON.
        *("-W", "ignore:You're running the worker with superuser privileges"),
        *("-m", "celery", "-A", "evalapp", "worker", "-n", name),
        *("-Q", ",".join(settings.CELERY_TASK_QUEUES), "-P", "solo", "-c", "1"),
        *("--loglevel", "WARNING"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


def log_file() -> Path:
    return settings.DATA_DIR / "worker.log"


def worker_log() -> IO[bytes]:
    """The log, to append to; a long one is put aside once."""
    file = log_file()
    if file.exists() and file.stat().st_size > LOG_BYTES:
        file.replace(file.with_suffix(".log.1"))
    return file.open("ab")


def spawn(
    command: list[str], *, output: IO[bytes] | None = None, **variables: str
) -> subprocess.Popen[bytes]:
    """Start a child that ends when this process does, however that happens.

    It gets its own process group: Ctrl-C reaches this process alone, which then ends
    its children in order. A variable that is set already stays as it is.
    """
    path = os.pathsep.join(
        filter(None, [str(settings.BASE_DIR), os.environ.get("PYTHONPATH")])
    )
    try:
        return subprocess.Popen(
            command,
            env={**variables, **os.environ, "PYTHONPATH": path, **_parent()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            process_group=0,
            preexec_fn=_die_with(os.getpid()),
        )
    finally:
        if output:
            output.close()


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask it to stop, wait a little, then kill it with all its own children."""
    child.terminate()
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _parent() -> dict[str, str]:
    return {pulse.SUPERVISOR: str(os.getpid())}


def _die_with(parent: int) -> Callable[[], None] | None:
    """Linux tells a child of its parent's death if asked to; elsewhere see pulse.py."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def ask() -> None:
        prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    return ask
