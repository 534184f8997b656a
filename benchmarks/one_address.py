"""One address against everybody else: who finds a seat in a public study.

    .venv/bin/python benchmarks/one_address.py
    DATABASE_URL=postgres://... .venv/bin/python benchmarks/one_address.py    also there

Four threads from one address begin under ever new names, as fast as they can, in a
study of 100 places. Meanwhile people come one after the other, each from an address of
their own; some submit their first page, the others are still reading. Works on a
database of its own, which it removes at the end.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass

from databases import run_on_each

ATTACKER = "203.0.113.66"
THREADS, SURVEYS, RATINGS = 4, 20, 5
HEAD_START = 3  # seconds


@dataclass(frozen=True)
class Case:
    name: str
    bound: bool  # as it is, or as it was
    answers: bool  # whether the attacker saves an answer on each page
    people: int
    submit: float  # share of them


CASES = (
    Case("no bound", False, False, 60, 0.5),
    Case("sits", True, False, 60, 0.5),
    Case("saves answers", True, True, 60, 0.5),
    Case("sits, all people submit", True, False, 100, 1.0),
    Case("saves answers, all people submit", True, True, 100, 1.0),
)


def measure() -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection
    from django.test.utils import setup_test_environment

    setup_test_environment()
    logging.disable(logging.WARNING)  # of each refusal
    settings.BEHIND_PROXY, settings.STARTS_PER_MINUTE = True, 100_000
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        print(f"\n{connection.vendor}")
        for case in CASES:
            print(run(case), flush=True)
    finally:
        name = connection.settings_dict["NAME"]
        connection.creation.destroy_test_db(name, verbosity=0)


def run(case: Case) -> str:
    from annotation.crowd import sources
    from annotation.models import Place, Seat

    study = lay_out(CASES.index(case))
    rng = random.Random(1)
    before, over = sources.of, threading.Event()
    if not case.bound:
        sources.of = lambda *_: ""
    tried = [0] * THREADS
    threads = [
        threading.Thread(target=attack, args=[study, case, tried, n, over])
        for n in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(HEAD_START)
    held = Seat.objects.filter(survey__study=study, state="claimed").count()
    found = [come(study, n, rng.random() < case.submit) for n in range(case.people)]
    over.set()
    for thread in threads:
        thread.join()
    sources.of = before
    free = Place.objects.filter(study=study, free=True).count()
    first = found.index(False) + 1 if False in found else None
    most = Place.objects.filter(study=study).exclude(source="").values_list("source")
    kept = max(Counter(most).values(), default=0)
    return (
        f"{case.name}: attacker tried {sum(tried)} times, held {held} after"
        f" {HEAD_START} s and {kept} at the end; {sum(found)} of {len(found)} people"
        f" found a seat, first refused: {first}; {free} places free"
    )


def attack(study, case: Case, tried: list[int], n: int, over: threading.Event) -> None:
    from django.db import connections

    from annotation.models import Aspect

    key = Aspect.objects.filter(study=study).values_list("key", flat=True)[0]
    try:
        while not over.is_set():
            client, seat = begin(study, ATTACKER)
            tried[n] += 1
            if seat and case.answers:
                client.post(f"{seat}answer/", {f"a-1-{key}": "3"})
    finally:
        connections.close_all()


def come(study, n: int, submits: bool) -> bool:
    from annotation.models import Seat

    client, path = begin(study, f"198.18.{n // 250}.{n % 250}")
    if path and submits:
        seat = Seat.objects.get(public_id=path.split("/seat/")[1].strip("/"))
        # The damaged text below the others: a page that quality control lets pass.
        hidden = seat.survey.items.get(generation=None).pk
        form = {
            f"a-{at}-{aspect.key}": "1" if item == hidden else "4"
            for at, item in enumerate(seat.order, start=1)
            for aspect in study.aspects.all()
        }
        client.post(f"{path}submit/", {**form, "then": "stop"})
    return path is not None


def begin(study, address: str):
    """A new browser that has pressed Start, and the address of its page."""
    from django.test import Client

    from annotation.crowd.forms.pages import ConsentForm

    client = Client(headers={"X-Forwarded-For": address})
    client.get(study.get_worker_url())
    agreed = {"agree": "on", "version": ConsentForm(study).digest}
    answer = client.post(f"{study.get_worker_url()}start/", agreed)
    path = answer.headers.get("Location", "")
    return client, path if "/seat/" in path else None


def lay_out(number: int):
    import seats

    from annotation.models import Policy

    study = seats.lay_out(surveys=SURVEYS, name=f"case-{number}")
    # People submit at once here: without this, their pages would be too fast to count.
    Policy.objects.create(study=study, version=2)
    assert study.places.count() == SURVEYS * RATINGS
    return study


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", action="store_true")
    parser.parse_args()
    measure() if "--here" in sys.argv else run_on_each(__file__)
