"""How long every page of a large study takes: seconds, queries, memory, bytes.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/large_study.py
    DATA_DIR=/some/folder .venv/bin/python benchmarks/large_study.py monitor texts
    ... --repeat 9 --most 60 --json /some/file

Asks, through Django's test client, for every address of a study that `large_data` has
made and for the lists of the API; words choose addresses that contain one of them. Use
a copy of the database: pages of results ask for analyses, which are rows. Addresses of
things that the study has none of, such as a training, are left out: they do not grow
with its texts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# What the study has none of.
NOT_HERE = (
    *("<slug:training>", "<int:probe>", "<int:trial>", "<int:anchors>"),
    *("<slug:corpus>", "<int:evaluators>", "<uuid:public_id>", "dataset/download"),
)
# Asked for with these, too: later pages, filters, searches.
ASKED = {
    "studies/<slug:name>/texts/": (
        *(
            "page=middle",
            "page=last",
            "q=lighthouse",
            "show=unread",
            "show=reported",
            "key=7-3",
        ),
        "show=excluded",
    ),
    "studies/<slug:name>/surveys/": ("page=last",),
    "studies/<slug:name>/workers/": ("page=last",),
    "studies/<slug:name>/review/": ("page=last",),
    "studies/<slug:name>/text/": ("key=7-3",),
    "studies/<slug:name>/results/compare/": ("a={a}&b={b}",),
    "studies/<slug:name>/quality/": ("rule=above_any&on=hurt&worker_pages=5",),
    "studies/<slug:name>/results/text-scores/": ("page=last", "key=7-3"),
    "studies/<slug:name>/results/explain/<int:signature>/": ("key=7-3",),
    "api/v1/studies/<slug:name>/generations/": ("limit=1000", "offset={last}"),
    "api/v1/studies/<slug:name>/ratings/": (
        "limit=1000",
        "offset={middle}",
        "offset={last_rating}",
    ),
    "api/v1/studies/<slug:name>/human-scores/": ("limit=1000", "offset={last}"),
    "api/v1/studies/<slug:name>/workers/": ("limit=1000", "offset=900"),
    "api/v1/studies/<slug:name>/runs/<int:pk>/scores/": (
        *("limit=1000", "offset={last}"),
    ),
}


@dataclass
class Measured:
    """One address, asked for several times."""

    name: str
    url: str
    status: int | str = 0
    seconds: list[float] = field(default_factory=list)
    cpu: float = 0.0
    queries: int = 0
    database: float = 0.0  # seconds in the slowest request
    megabytes: float = 0.0  # by which the peak grew, at most
    bytes: int = 0
    slowest: list[tuple[float, str]] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds[1:] or self.seconds)

    @property
    def p95(self) -> float:
        """Of few requests, the slowest."""
        return max(self.seconds[1:] or self.seconds)  # the first loads templates


class TooLong(Exception):
    """A request that was stopped."""


class Queries:
    """Counts and times the statements of a request."""

    def __init__(self) -> None:
        self.told: list[tuple[float, str]] = []

    def __call__(
        self, execute: Any, sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        start = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.told.append((time.perf_counter() - start, sql))


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop a request that takes longer, also inside SQLite."""
    from django.db import connection

    def stop(*_: object) -> None:
        raise TooLong

    def interrupt() -> None:
        with suppress(Exception):
            connection_of_thread.interrupt()

    connection.ensure_connection()
    connection_of_thread: Any = connection.connection
    timer = threading.Timer(seconds + 0.5, interrupt)
    if connection.vendor == "sqlite":
        timer.start()
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        timer.cancel()


def memory(name: str) -> float:
    """MB, as Linux counts them for this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def processor() -> float:
    """Seconds of this process, and of PostgreSQL's for our connection if it is here.

    On a busy machine only these tell what a request costs: on a calm one it takes as
    long as they say, and a little longer.
    """
    from django.db import connection

    found = time.process_time()
    if connection.vendor != "postgresql":
        return found
    with suppress(OSError):
        stat = Path(f"/proc/{_server(connection)}/stat").read_text()
        ticks = stat.rpartition(")")[2].split()[11:13]
        found += sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return found


def _server(connection: Any) -> int:
    """The process of PostgreSQL that answers us, which then does all by itself."""
    connection.ensure_connection()
    known: tuple[Any, int] = getattr(connection, "server_of_benchmark", (None, 0))
    if known[0] is not connection.connection:  # the first, or after a page that failed
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SELECT pg_backend_pid()")
            known = connection.connection, cursor.fetchone()[0]
        connection.server_of_benchmark = known
    return known[1]


def measure(
    name: str, url: str, ask: Callable[[], Any], repeat: int, most: float
) -> Measured:
    from django.core.cache import cache
    from django.db import connection

    found = Measured(name, url)
    for turn in range(repeat):
        cache.clear()  # what is kept there goes with each page that somebody submits
        queries = Queries()
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # begins a new peak
        before = memory("VmRSS")
        start, cpu = time.perf_counter(), processor()
        try:
            with at_most(most), connection.execute_wrapper(queries):
                found.status, found.bytes = read(ask())
        except TooLong:
            found.status = f"over {most:g} s"
        except Exception as error:
            found.status = f"{type(error).__name__}: {error}"[:120]
            if "interrupted" in found.status:
                found.status = f"over {most:g} s"
        seconds = time.perf_counter() - start
        if turn or repeat == 1 or seconds > 20:  # the first one loads templates
            found.cpu = max(found.cpu, processor() - cpu)
        if isinstance(found.status, str):
            connection.close()  # an export that was stopped still holds its cursor
        found.megabytes = max(found.megabytes, memory("VmHWM") - before)
        found.queries = len(queries.told)
        spent = sum(one for one, _ in queries.told)
        if spent >= found.database:
            found.database = spent
            found.slowest = sorted(queries.told, reverse=True)[:3]
        found.seconds.append(seconds)
        if found.status in (302, 405) or (seconds > 3 and turn) or seconds > 20:
            break
    return found


def read(answer: Any) -> tuple[int, int]:
    """The status and how many bytes came, without keeping them."""
    if answer.streaming:
        return answer.status_code, sum(map(len, answer.streaming_content))
    return answer.status_code, len(answer.content)


# Addresses ----------------------------------------------------------------------------


def addresses(study: Any) -> Iterator[tuple[str, str]]:
    """Every route that belongs to a study, with all that may stand in it."""
    from tests.pages.test_access import ROUTES

    for route in ["", "api/v1/studies/", "metrics/", "metrics/models/", *ROUTES]:
        listed = route in ("", "api/v1/studies/", "metrics/", "metrics/models/")
        if not listed and "<slug:name>" not in route:
            continue
        if route.startswith("api/studies") or any(part in route for part in NOT_HERE):
            continue
        for url in filled(route, study):
            yield route, f"/{url}"
        for query in ASKED.get(route, ()):
            url = next(iter(filled(route, study)))
            yield f"{route}?{query}", f"/{url}?{words(study, query)}"


def words(study: Any, query: str) -> str:
    keys = study.generations.values_list("key", flat=True)
    return query.format(
        a="7-3",
        b="7-4",
        key=keys[0],
        last=study.generations.count() - 100,
        middle=study.generations.count() * 33 // 2,
        last_rating=study.generations.count() * 33 - 1000,
    )


@cache
def stand_ins(study: Any) -> dict[str, list[str]]:
    """For each part of an address that names something. Asked once."""
    from annotation import exports
    from annotation.models import Report, Seat
    from scoring import analyses
    from scoring.models import MetricRun

    run = MetricRun.objects.filter(study=study, metric="ctrleval").get()
    seat = Seat.objects.filter(survey__study=study).latest("pk")
    return {
        "<slug:kind>.<slug:format>": [f"{kind}.csv" for kind in exports.tables()],
        "<slug:analysis>/<slug:table>.<slug:format>": ["agreement/alpha.csv"],
        "<int:pk>/<slug:table>.<slug:format>": [f"{run.pk}/curves.csv"],
        "reports/<int:pk>": [f"reports/{Report.objects.latest('pk').pk}"],
        "<slug:analysis>": list(analyses.names()),
        "<slug:name>": [study.name],
        "<int:number>": ["1"],
        "<int:pk>": [str(run.pk)],
        "<int:member>": [str(study.members.first().pk)],
        "<int:signature>": [str(run.signature_id)],
        "<slug:which>": ["approve", "bonus", "reject"],
        "<slug:metric>": ["length"],
        "<slug:table>": ["correlations"],
        "<slug:format>": ["csv"],
        "<slug:aspect>": ["coherence"],
        "<path:output>": ["coherence"],
        "<uuid:study_id>": [str(study.public_id)],
        "<uuid:seat_id>": [str(seat.public_id)],
        "<uuid:worker_id>": [str(seat.worker.public_id)],
    }


def filled(route: str, study: Any) -> list[str]:
    found = [route]
    for part, values in stand_ins(study).items():
        found = [one.replace(part, value) for one in found for value in values]
        found = list(dict.fromkeys(found))
    return found


def is_meant(word: str, url: str) -> bool:
    """`/studies/` is how an address begins, `texts` is anywhere in it."""
    return url.startswith(word) if word.startswith("/") else word in url


def pages(
    study: Any, chosen: list[str]
) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """What a researcher asks for."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username="ann"))
    for route, url in addresses(study):
        if chosen and not any(is_meant(word, url) for word in chosen):
            continue
        address = url
        if "page=last" in url:
            address = url.replace("page=last", "page=1000000")
        if "page=middle" in url:  # of 25 texts each
            middle = study.generations.count() // 50
            address = url.replace("page=middle", f"page={middle}")
        yield route, address, lambda url=address: client.get(url)


# Told ---------------------------------------------------------------------------------


def show(found: Measured, verbose: bool) -> None:
    print(
        f"{found.p95:7.2f} {found.median:7.2f} {found.cpu:6.2f} {found.database:6.2f}"
        f" {found.queries:4} {found.megabytes:6.0f} {found.bytes / 1024:8.0f}"
        f"  {found.status} {found.url}",
        flush=True,
    )
    for seconds, sql in found.slowest if verbose else []:
        if seconds > 0.05:
            print(f"          {seconds:6.2f} {short(sql)}", flush=True)


def short(sql: str) -> str:
    """Without the names of columns, which fill the screen."""
    columns, mark, rest = sql.partition(" FROM ")
    return f"{columns[:80]} ... {mark}{rest}"[:900].replace('"', "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--most", type=float, default=60)
    parser.add_argument("--json", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from django.conf import settings

    from annotation.models import Study
    from evalapp.work import dispatch

    settings.ALLOWED_HOSTS.append("testserver")
    dispatch.send = lambda task, pk, queue: None
    study = Study.objects.get(name="large")
    print("    p95  median    CPU     db    q     MB       KB")
    rows = []
    for name, url, ask in pages(study, given.words):
        found = measure(name, url, ask, given.repeat, given.most)
        if found.status in (302, 405):  # takes forms only
            continue
        rows.append(found)
        show(found, given.verbose)
        if given.json:
            given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
