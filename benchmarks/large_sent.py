"""How long what people send takes in a large study: pages of workers, and forms.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/large_sent.py --workers 100
    DATA_DIR=/some/folder .venv/bin/python benchmarks/large_sent.py

Workers come one after the other: each opens the link, agrees, gets a page, answers some
questions one by one as a browser does, and submits the page. Forms of researchers are
sent and undone, so that each can be sent again. Works on a copy of a database that
`large_data` has made: the pages of workers stay.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ONE_BY_ONE = 3  # answers that a browser sends by themselves


class Clock:
    """Seconds by the clock, of the processor and statements, by what was sent."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.cpu: dict[str, list[float]] = defaultdict(list)
        self.queries: dict[str, int] = {}
        self.status: dict[str, int] = {}

    def send(self, name: str, ask: Any) -> Any:
        from django.core.cache import cache
        from django.db import connection
        from large_study import Queries, processor

        cache.clear()
        queries = Queries()
        start, cpu = time.perf_counter(), processor()
        with connection.execute_wrapper(queries):
            answer = ask()
        self.seconds[name].append(time.perf_counter() - start)
        self.cpu[name].append(processor() - cpu)
        self.queries[name] = len(queries.told)
        self.status[name] = answer.status_code
        return answer

    def tell(self) -> None:
        print("  median     p95     CPU     q")
        for name, found in self.seconds.items():
            some = sorted(found[1:] or found)  # the first one loads templates
            p95 = some[min(len(some) - 1, int(0.95 * len(some)))]
            cpu = statistics.median(self.cpu[name][1:] or self.cpu[name])
            print(
                f"{statistics.median(some):8.3f}{p95:8.3f}{cpu:8.3f}"
                f"{self.queries[name]:6}  {self.status[name]} {name}, {len(found)}"
            )


# Workers ------------------------------------------------------------------------------


def come(study: Any, clock: Clock, n: int) -> None:
    """One worker, from the link to the next page."""
    from django.test import Client

    from annotation.crowd.forms.pages import ConsentForm
    from annotation.models import Seat

    client, url = Client(REMOTE_ADDR=f"198.18.{n // 250}.{n % 250}"), None
    link = study.get_worker_url()
    clock.send("worker: open the link", lambda: client.get(link))
    agreed = {"agree": "on", "version": ConsentForm(study).digest}
    answer = clock.send("worker: start", lambda: client.post(f"{link}start/", agreed))
    url = answer.headers.get("Location", "")
    if "/seat/" not in url:
        raise SystemExit(f"worker {n} found no page: {answer.status_code} {url}")
    clock.send("worker: a page", lambda: client.get(url))
    seat = Seat.objects.get(public_id=url.split("/seat/")[1].strip("/"))
    form = answers(study, seat)
    for key in list(form)[:ONE_BY_ONE]:
        one = {key: form[key]}
        clock.send(
            "worker: one answer", lambda one=one: client.post(f"{url}answer/", one)
        )
    sent = {**form, "then": "next"}
    clock.send("worker: submit", lambda: client.post(f"{url}submit/", sent))


def answers(study: Any, seat: Any) -> dict[str, str]:
    """The damaged text below the others, which differ."""
    hidden = seat.survey.items.get(generation=None).pk
    return {
        f"a-{at}-{aspect.key}": "1" if item == hidden else str(3 + (at + seat.pk) % 3)
        for at, item in enumerate(seat.order, start=1)
        for aspect in study.aspects.all()
    }


# Researchers --------------------------------------------------------------------------


def forms(study: Any) -> dict[str, tuple[str, dict[str, object]]]:
    """What a researcher sends, to which address below the study's."""
    from django.forms.models import model_to_dict

    from annotation.models import Worker
    from annotation.quality.forms import PolicyForm

    worker = study.workers.filter(state=Worker.State.ACTIVE).order_by("pk")[5]
    policy = model_to_dict(study.current_policy(), PolicyForm.Meta.fields)
    policy = {key: value for key, value in policy.items() if value}
    policy["rule"] = "above_any"
    return {
        "exclude a worker": (f"workers/{worker.public_id}/exclude/", {"reason": "x"}),
        "exclude a text": ("text/exclude/", {"key": "7-3", "words": "x"}),
        "save another policy": ("quality/save/", policy),
        "apply another policy (asks a worker)": ("quality/rejudge/", policy),
        "close": ("close/", {}),
        "pause": ("pause/", {}),
        "delete": ("manage/delete/", {"typed": study.name}),
        "copy": ("manage/copy/", {"name": "large-copy", "texts": "yes"}),
        "invite 100 people": (
            "invites/make/",
            {"names": "\n".join(f"person {n}" for n in range(100))},
        ),
        "start a metric": ("metrics/start/", {"metric": "zipf"}),
    }


def send(study: Any, clock: Clock, name: str) -> None:
    """Send one form and undo what it did."""
    from django.contrib.auth.models import User
    from django.db import transaction
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username="ann"))
    address, form = forms(study)[name]
    url = f"{study.get_absolute_url()}{address}"
    with transaction.atomic():
        clock.send(f"form: {name}", lambda: client.post(url, form))
        transaction.set_rollback(True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from django.conf import settings

    from annotation.models import Study
    from evalapp.work import dispatch

    settings.ALLOWED_HOSTS.append("testserver")
    settings.STARTS_PER_MINUTE = 100_000
    dispatch.send = lambda task, pk, queue: None
    study, clock = Study.objects.get(name="large"), Clock()
    for n in range(given.workers):
        come(study, clock, n)
    for name in forms(study):
        for _ in range(given.repeat):
            send(study, clock, name)
    clock.tell()


if __name__ == "__main__":
    main()
