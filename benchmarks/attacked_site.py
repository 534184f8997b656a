"""A site that is attacked, as `manage.py up` serves it, and people who use it."""

from __future__ import annotations

import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import requests

from benchmarks import fuzz_site

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "a-long-password"  # noqa: S105 - of accounts that are gone in a minute
PAUSE = 0.25  # seconds between two looks of a person
PATIENCE = 150.0
LEAST, MOST = 50.0, 95.0  # percentiles


@dataclass(frozen=True)
class Site:
    base: str
    process: subprocess.Popen[bytes]
    study: str  # the address of its workers

    @property
    def web(self) -> list[int]:
        """The processes that serve pages: children of gunicorn's own."""
        gunicorn = [pid for pid in descendants(self.process.pid) if is_web(pid)]
        return [pid for pid in gunicorn if not any(map(is_web, children(pid)))]


@contextmanager
def running(folder: str, accounts: int) -> Iterator[Site]:
    """With an open study, and so many accounts: u0, u1, ..."""
    fuzz_site.set_up(folder)
    study = filled(accounts)
    port = free_port()
    command = [sys.executable, "manage.py", "up", "--bind", f"127.0.0.1:{port}"]
    with open(f"{folder}/up.log", "wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        base = f"http://127.0.0.1:{port}"
        until_it_answers(base)
        yield Site(base, process, base + study)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def filled(accounts: int) -> str:
    from django.contrib.auth.models import User
    from django.db import connections

    from annotation.models import Study

    fuzz_site.fill("ferry", is_open=True)
    for number in range(accounts):
        User.objects.create_user(f"u{number}", password=PASSWORD)
    address = Study.objects.get(name="ferry").get_worker_url()
    connections.close_all()
    return address


def until_it_answers(base: str) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            if requests.get(f"{base}/healthz", timeout=5).ok:
                return
        except requests.RequestException:
            time.sleep(0.2)
    sys.exit("the site does not answer")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


# Who uses it --------------------------------------------------------------------------


def token_of(page: str) -> str:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    return token[1] if token else ""


def logged_in(site: Site, number: int) -> requests.Session:
    session = requests.Session()
    page = session.get(f"{site.base}/login/").text
    data = {"username": f"u{number}", "password": PASSWORD}
    data["csrfmiddlewaretoken"] = token_of(page)
    answer = session.post(f"{site.base}/login/", data=data)
    assert "/login/" not in answer.url, "the login was refused"
    return session


def at_a_rating_page(site: Site) -> tuple[requests.Session, str]:
    session = requests.Session()
    page = session.get(site.study, params={"worker": uuid4().hex}).text
    version = re.search(r'name="version" value="(\w+)"', page)
    assert version
    data = {"agree": "on", "version": version[1]}
    data["csrfmiddlewaretoken"] = token_of(page)
    answer = session.post(f"{site.study}start/", data=data)
    assert "/seat/" in answer.url, answer.url
    return session, answer.url


class Waits(NamedTuple):
    """Seconds that somebody else waited for a page."""

    n: int
    wrong: int
    p50: float
    p95: float
    longest: float

    def in_words(self) -> str:
        figures = f"{self.p50:.3f} | {self.p95:.3f} | {self.longest:.3f}"
        return f"{self.n} | {self.wrong} | {figures}"


@dataclass
class Others:
    """Two people who go on looking: at the login, and at a rating page."""

    site: Site
    waits: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def looking(self) -> Iterator[Others]:
        session, seat = at_a_rating_page(self.site)
        looks = {
            "login": (requests.Session(), f"{self.site.base}/login/"),
            "rating page": (session, seat),
        }
        threads = [
            threading.Thread(target=self._look, args=(name, *look), daemon=True)
            for name, look in looks.items()
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.over.set()
            for thread in threads:
                thread.join(PATIENCE)

    def _look(self, name: str, session: requests.Session, url: str) -> None:
        waits = self.waits.setdefault(name, [])
        self.wrong[name] = 0
        while not self.over.is_set():
            start = time.perf_counter()
            try:  # a connection of its own, as somebody who comes has
                headers = {"Connection": "close"}
                answer = session.get(url, headers=headers, timeout=PATIENCE)
                self.wrong[name] += answer.status_code != 200
            except requests.RequestException:
                self.wrong[name] += 1
            waits.append(time.perf_counter() - start)
            time.sleep(PAUSE)

    def figures(self) -> dict[str, Waits]:
        figures = {}
        for name, waits in self.waits.items():
            if len(waits) < 2:
                continue  # it was over at once
            cuts = statistics.quantiles(waits, n=100, method="inclusive")
            some = (cuts[int(LEAST) - 1], cuts[int(MOST) - 1], max(waits))
            figures[name] = Waits(len(waits), self.wrong[name], *some)
        return figures


# What its processes hold --------------------------------------------------------------


def status_of(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {
        name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)
    }


def children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
        return [int(child) for task in tasks for child in task.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def descendants(pid: int) -> list[int]:
    below = children(pid)
    return [*below, *(pid for child in below for pid in descendants(child))]


def is_web(pid: int) -> bool:
    try:
        return b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def megabytes(pid: int, what: str = "VmRSS") -> float:
    """`VmHWM` is the most that it has ever been."""
    return int(status_of(pid).get(what, "0 kB").split()[0]) / 1024


def temporary_megabytes(pid: int) -> float:
    """Of files that have no name any more, as waitress keeps long bodies."""
    total = 0
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if "(deleted)" in os.readlink(link):
                total += link.stat().st_size
        except OSError:
            continue
    return total / 2**20


@dataclass
class Held:
    """The most that the web processes held while somebody watched."""

    site: Site
    before: float = 0.0
    memory: float = 0.0
    temporary: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watched(self) -> Iterator[Held]:
        web = self.site.web
        self.before = sum(map(megabytes, web))
        thread = threading.Thread(target=self._watch, args=(web,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            thread.join(10)

    def _watch(self, web: list[int]) -> None:
        while not self.over.wait(0.1):
            self.memory = max(self.memory, sum(map(megabytes, web)))
            self.temporary = max(self.temporary, sum(map(temporary_megabytes, web)))

    @property
    def growth(self) -> float:
        return self.memory - self.before
