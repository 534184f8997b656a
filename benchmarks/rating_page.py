"""How fast the rating page and its autosave are, against a view that does nothing.

    .venv/bin/python benchmarks/rating_page.py
    DATABASE_URL=postgres://... .venv/bin/python benchmarks/rating_page.py   also there

Eight workers at once ask a gunicorn of four processes: for the bare view, the rating
page and an autosave in turn, first with no submission stored, then with 50,000. Works
on a database of its own, which it removes at the end. Read the ratios: they compare
what ran on one machine within a minute, through the same server and middleware.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from databases import run_on_each
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import path

PORT = 8075
CROWD = 8
SURVEYS, PLACES = 10_000, 5  # all filled by 50,000 submissions
OPEN = 100  # more surveys, for those who rate meanwhile
ROUNDS, REQUESTS = 5, 240  # per verb and round
TEXT = "The ferry left the harbour at seven and nobody on deck said a word. " * 6

Send = Callable[[http.client.HTTPConnection, int], None]


# Served by gunicorn -------------------------------------------------------------------


@login_not_required
def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("nothing")


def application():
    """The app as it is, and one address more."""
    from evalapp import wsgi  # loads the apps: before their addresses
    from evalapp import urls  # isort: skip

    urls.urlpatterns.append(path("bare/", bare))
    return wsgi.application


# Runs ---------------------------------------------------------------------------------


def measure() -> None:
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    study = lay_out()
    crowd = [Rater.arrive(study, number) for number in range(CROWD)]
    server = serve(connection)
    try:
        print(f"\n{connection.vendor}, {CROWD} at once, {ROUNDS * REQUESTS} of each")
        print("submissions  verb      per second  p50 ms  p95 ms  cpu ms  of bare")
        before = table(0, server, crowd)
        stored = submit_all(study)
        after = table(stored, server, crowd)
        for verb in ("page", "autosave"):
            print(f"{verb}, {stored} to none, each in units of its bare view:", end="")
            for of in ("p50", "cpu"):
                now, then = (
                    getattr(run[verb], of) / getattr(run["bare"], of)
                    for run in (after, before)
                )
                print(f"  {of} {now / then:.2f}", end="")
            print()
    finally:
        server.terminate()
        server.wait(30)
        name = connection.settings_dict["NAME"]
        connection.creation.destroy_test_db(name, verbosity=0)


def serve(connection) -> subprocess.Popen:
    name = connection.settings_dict["NAME"]
    url = os.environ.get("DATABASE_URL")
    url = f"{url.rpartition('/')[0]}/{name}" if url else f"sqlite:///{name}"
    command = [
        *(sys.executable, "-m", "gunicorn", "rating_page:application()"),
        *("--workers", "4", "--worker-class", "gthread", "--threads", "8"),
        *("--bind", f"127.0.0.1:{PORT}", "--log-level", "error"),
        "--no-control-socket",
    ]
    server = subprocess.Popen(
        command,
        env={**os.environ, "DATABASE_URL": url},
    )
    for _ in range(200):
        try:
            ask(http.client.HTTPConnection("127.0.0.1", PORT), "/bare/")
            return server
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"no server on port {PORT} after 20 s")


def ask(
    to: http.client.HTTPConnection,
    address: str,
    body: str | None = None,
    headers: dict[str, str] | None = None,
    expect: int = 200,
) -> None:
    to.request("GET" if body is None else "POST", address, body, headers or {})
    answer = to.getresponse()
    answer.read()
    if answer.status != expect:
        raise SystemExit(f"{address}: expected {expect}, got {answer.status}")


@dataclass
class Rater:
    """Someone at a page: their cookies, and where it is."""

    headers: dict[str, str]
    seat: str

    @classmethod
    def arrive(cls, study, number: int) -> Rater:
        from django.test import Client

        from annotation.crowd.forms.pages import ConsentForm

        client = Client(SERVER_NAME="127.0.0.1")
        client.get(study.get_worker_url(), {"worker": f"rater-{number}"})
        digest = ConsentForm(study).digest
        form = {"agree": "on", "version": digest}
        seat = client.post(f"{study.get_worker_url()}start/", form).url
        client.get(seat)
        cookies = {name: one.value for name, one in client.cookies.items()}
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": cookies["csrftoken"],
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return cls(headers, seat)

    def bare(self, to: http.client.HTTPConnection, number: int) -> None:
        ask(to, "/bare/", headers=self.headers)

    def page(self, to: http.client.HTTPConnection, number: int) -> None:
        ask(to, self.seat, headers=self.headers)

    def autosave(self, to: http.client.HTTPConnection, number: int) -> None:
        body = f"a-{number % 5 + 1}-coherence={number % 4 + 1}&visible=1%3A{number}"
        ask(to, f"{self.seat}answer/", body, self.headers, expect=204)


@dataclass
class Times:
    seconds: list[float] = field(default_factory=list)
    wall: float = 0.0
    server: float = 0.0  # processor seconds of the server

    @property
    def p50(self) -> float:
        return 1000 * float(np.percentile(self.seconds, 50))

    @property
    def cpu(self) -> float:
        """Milliseconds of the processor for one request."""
        return 1000 * self.server / len(self.seconds)

    def row(self, bare: Times) -> str:
        p95 = 1000 * np.percentile(self.seconds, 95)
        return (
            f"{len(self.seconds) / self.wall:10.0f}  {self.p50:6.1f}  {p95:6.1f}"
            f"  {self.cpu:6.2f}  p50 {self.p50 / bare.p50:4.2f}"
            f"  cpu {self.cpu / bare.cpu:4.2f}"
        )


def table(stored: int, server: subprocess.Popen, crowd: list[Rater]) -> dict:
    verbs = ("bare", "page", "autosave")
    found = {verb: Times() for verb in verbs}
    for verb in verbs:
        together(Times(), crowd, verb, server)  # to warm up
    for _ in range(ROUNDS):  # in turn, so that all of them meet the same weather
        for verb in verbs:
            together(found[verb], crowd, verb, server)
    for verb in verbs:
        print(f"{stored:11}  {verb:8}{found[verb].row(found['bare'])}")
    return found


def together(times: Times, crowd: list[Rater], verb: str, server) -> None:
    each = REQUESTS // CROWD
    errors: list[BaseException] = []
    start = threading.Barrier(CROWD + 1)

    def run(rater: Rater) -> None:
        send: Send = getattr(rater, verb)
        to = http.client.HTTPConnection("127.0.0.1", PORT)
        start.wait()
        try:
            for number in range(each):
                began = time.perf_counter()
                send(to, number)
                times.seconds.append(time.perf_counter() - began)
            to.close()
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=[rater]) for rater in crowd]
    for thread in threads:
        thread.start()
    used = processor(server)
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    times.wall += time.perf_counter() - began
    times.server += processor(server) - used
    if errors:
        raise errors[0]


def processor(server: subprocess.Popen) -> float:
    """Processor seconds of the server's processes so far; NaN where /proc is not."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    if not children.exists():
        return float("nan")
    ticks = 0
    for pid in children.read_text().split():
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return ticks / os.sysconf("SC_CLK_TCK")


# The study ----------------------------------------------------------------------------


def lay_out():
    """An open study: surveys of four texts and a negative, five places each."""
    from annotation import models
    from annotation.studies import create
    from annotation.surveys import opening
    from evalapp import planner

    study = create(name="bench", owner=None, ratings_per_text=PLACES)
    models.Study.objects.filter(pk=study.pk).update(state=models.Study.State.OPEN)
    numbers = range(SURVEYS + OPEN)
    prompts = models.Prompt.objects.bulk_create(
        models.Prompt(study=study, prefix="The ferry", digest=f"{i}") for i in numbers
    )
    made = models.Survey.objects.bulk_create(
        models.Survey(study=study, prompt=prompts[i], number=i + 1, seed=i)
        for i in numbers
    )
    texts = models.Generation.objects.bulk_create(
        models.Generation(study=study, key=f"{i}-{j}", prompt=prompts[i], text=TEXT)
        for i in numbers
        for j in range(4)
    )
    negatives = models.Negative.objects.bulk_create(
        models.Negative(
            survey=made[i],
            source=texts[4 * i],
            perturbation="shuffle",
            hurts=["coherence"],
            text=TEXT,
            seed=i,
        )
        for i in numbers
    )
    models.Item.objects.bulk_create(
        [models.Item(survey=made[i // 4], generation=t) for i, t in enumerate(texts)]
        + [models.Item(survey=one.survey, negative=one) for one in negatives]
    )
    # The surveys of those who rate meanwhile come first, so that nobody takes another.
    models.Place.objects.bulk_create(
        models.Place(survey=made[i], study=study, number=n, shuffle=-i)
        for i in numbers
        for n in range(1, PLACES + 1)
    )
    planner.look_at(*opening.WRITTEN)  # as when a study is opened
    study.refresh_from_db()
    return study


def submit_all(study) -> int:
    """A valid page at every place of the first surveys, with all its answers."""
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Place, Seat, Worker

    people = Worker.objects.bulk_create(
        Worker(study=study, platform="direct", external_id=f"worker {i}")
        for i in range(100 * PLACES)
    )
    now = timezone.now()
    places = study.places.filter(survey__number__lte=SURVEYS, free=True)
    seats = Seat.objects.bulk_create(
        [
            Seat(
                survey_id=place.survey_id,
                place=place,
                worker=people[(place.number - 1) * 100 + place.survey_id % 100],
                state=Seat.State.VALID,
                order=[],
                claimed_at=now,
                submitted_at=now,
            )
            for place in places
        ],
        batch_size=5000,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotation_annotation (seat_id, item_id, generation_id,"
            " negative_id, aspect_id, value, updated_at, rater)"
            " SELECT seat.id, item.id, item.generation_id, item.negative_id, aspect.id,"
            " 3, seat.submitted_at, ''"
            " FROM annotation_seat seat JOIN annotation_item item"
            " ON item.survey_id = seat.survey_id JOIN annotation_aspect aspect"
            " ON aspect.study_id = %s WHERE seat.state = 'valid'",
            [study.pk],
        )
        cursor.execute("ANALYZE")
    Place.objects.filter(pk__in=places.values("pk")).update(free=False)
    return len(seats)


if __name__ == "__main__":
    measure() if "--here" in sys.argv else run_on_each(__file__)
