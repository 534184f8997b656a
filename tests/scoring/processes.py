"""Start the app's commands as people do, on this test's database and folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from django.db import connection

from scoring.models import Chunk

ROOT = Path(__file__).resolve().parent.parent.parent
T = TypeVar("T")
# Seconds that a test waits for a process: it may take minutes on a busy machine.
PATIENCE = 240


def environment(folder: Path, broker: str | None = None) -> dict[str, str]:
    """For a child. Without a broker it gets the default one, whatever this one has."""
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.child_settings",
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url(),
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
    }
    variables.pop("CELERY_BROKER_URL", None)
    return {**variables, "CELERY_BROKER_URL": broker} if broker else variables


def database_url() -> str:
    """Of the database that this test uses, so that it can look on."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    secret = f":{found['PASSWORD']}" if found["PASSWORD"] else ""
    where = f"{found['HOST']}:{found['PORT'] or 5432}"
    return f"postgres://{found['USER']}{secret}@{where}/{found['NAME']}"


@contextmanager
def manage(env: dict[str, str], *words: str) -> Iterator[subprocess.Popen[str]]:
    """A running `manage.py` command; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Where these tests run in the background, the shell has children ignore it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(look: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Until `look` gives something true; what it gave."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.05)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs. One that ended and was not waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def scoring_pid() -> int | None:
    """The process of a worker that is in the middle of a chunk."""
    busy = Chunk.objects.filter(state=Chunk.State.RUNNING, done_items__gt=0).first()
    pid = int(busy.owner.split("/")[-2]) if busy else 0
    return pid if pid and is_alive(pid) else None


def kill_a_worker() -> int:
    """kill -9, in the middle of a chunk."""
    pid = wait_for(scoring_pid)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(pid))
    return pid


def children_of(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == pid:
            found.append(int(stat.parent.name))
    return found


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
