"""Figures for Prometheus: requests of all processes of this site, and the queue.

Needs prometheus-client, and `METRICS_TOKEN`; without the token nothing is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from evalapp.system import health, overview
from evalapp.work import heartbeats

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

# Each process writes its own file into this folder; who asks one gets the sum of all.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10)  # seconds
Count = Callable[[str, str, int, float], None]


def require() -> None:
    """Stop the start, rather than the first scrape.

    Raises:
        ImproperlyConfigured: The package is missing.
    """
    if not find_spec("prometheus_client"):
        raise ImproperlyConfigured(
            "METRICS_TOKEN needs the package prometheus-client. Install it with"
            " pip install -r requirements-server.txt, or remove METRICS_TOKEN."
        )


def forget() -> None:
    """What an earlier start has counted. Call this before any process counts."""
    for file in _folder().glob("*.db"):  # an operator may have named any folder
        file.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(os.environ.get(FOLDER) or settings.DATA_DIR / "prometheus")


@cache
def counter() -> Count:
    """Counts a request: its method, view, status and seconds."""
    require()
    os.environ[FOLDER] = str(_folder())  # read when the package is first imported
    _folder().mkdir(mode=0o700, exist_ok=True)
    from prometheus_client import Counter, Histogram

    asked = Counter(
        "evalapp_requests", "Requests answered.", ["method", "view", "status"]
    )
    took = Histogram(
        "evalapp_request_seconds", "Time to answer.", ["view"], buckets=BUCKETS
    )

    def count(method: str, view: str, status: int, seconds: float) -> None:
        asked.labels(method, view, status).inc()
        took.labels(view).observe(seconds)

    return count


def text() -> bytes:
    """All figures, in Prometheus' own format."""
    counter()
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    requests, now = CollectorRegistry(), CollectorRegistry()
    MultiProcessCollector(requests)  # type: ignore[no-untyped-call]
    now.register(Now())
    return generate_latest(requests) + generate_latest(now)


class Now:
    """What is true at this moment, read from the database by whoever is asked."""

    def collect(self) -> Iterator[Metric]:
        away = health.problems()
        yield _gauge(
            "evalapp_up",
            "1 if this part of the installation works.",
            [({"part": part}, part not in away) for part in health.PARTS],
        )
        if "database" in away:
            return
        yield from _of_queues(overview.queues())
        last = heartbeats.chores_done_at()
        yield _gauge(
            "evalapp_chores_done_timestamp_seconds",
            "When a worker last did all chores; 0: never. They delete old data.",
            [({}, last.timestamp() if last else 0)],
        )
        yield _gauge(
            "evalapp_failed",
            "Pieces of work that failed and are still there.",
            [({"kind": kind}, n) for kind, n in overview.n_failed().items()],
        )


def _of_queues(found: list[overview.Queue]) -> Iterator[Metric]:
    for name, told, of in (
        ("evalapp_workers", "Running workers that take a queue.", "workers"),
        ("evalapp_waiting", "Pieces of work that wait.", "waiting"),
        ("evalapp_running", "Pieces of work in progress.", "running"),
    ):
        rows = [({"queue": one.name}, getattr(one, of)) for one in found]
        yield _gauge(name, told, rows)


def _gauge(name: str, told: str, rows: list[tuple[dict[str, str], Any]]) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    labels = list(rows[0][0]) if rows else []
    family = GaugeMetricFamily(name, told, labels=labels)
    for values, figure in rows:
        family.add_metric(list(values.values()), float(figure))
    return family
