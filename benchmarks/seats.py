"""How fast seats are claimed, saved and submitted, by one worker and by many at once.

    .venv/bin/python benchmarks/seats.py
    DATABASE_URL=postgres://... .venv/bin/python benchmarks/seats.py    also there

Works on a database of its own, which it removes at the end. Read the ratios: they
compare what ran on one machine within a minute.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

import numpy as np
from databases import run_on_each

CROWDS = (1, 10, 50)  # workers at once
PAGES = 400  # per crowd
SIZES = (100, 2000)  # surveys of a study, for the cost of one claim


def measure() -> None:
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        print(f"\n{connection.vendor}, {PAGES} pages per row")
        crowds()
        sizes()
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def crowds() -> None:
    print("workers  verb     per second  ratio   p50 ms  p99 ms  max ms")
    alone: dict[str, float] = {}
    for n in CROWDS:
        study = lay_out(surveys=PAGES // 4, name=f"crowd-{n}")
        for verb, (seconds, total) in rate(study, n).items():
            speed = len(seconds) / total
            alone.setdefault(verb, speed)
            p50, p99, most = np.percentile(1000 * np.array(seconds), [50, 99, 100])
            print(
                f"{n:7}  {verb:7}  {speed:10.0f}  {speed / alone[verb]:5.2f}"
                f"  {p50:7.1f} {p99:7.1f} {most:7.0f}"
            )


def rate(study, n: int) -> dict[str, tuple[list[float], float]]:
    """For each verb the seconds of each call, and of all together."""
    from django.utils import timezone

    from annotation import answering, assigning
    from annotation.models import Worker

    now = timezone.now()
    workers = Worker.objects.bulk_create(
        Worker(study=study, platform="direct", external_id=f"worker {i}")
        for i in range(PAGES)
    )
    seats = [None] * PAGES
    keys = list(study.aspects.values_list("key", flat=True))

    def claim(i: int) -> None:
        seats[i] = assigning.claim(worker=workers[i], now=now)

    def save(i: int) -> None:
        answering.save(seat=seats[i], position=1, aspect=keys[0], value=3, now=now)

    def submit(i: int) -> None:
        answers = {(p, key): 3 for p in range(1, 6) for key in keys}
        answering.submit(seat=seats[i], answers=answers, now=now)

    return {verb.__name__: together(n, verb) for verb in (claim, save, submit)}


def together(n: int, work: Callable[[int], None]) -> tuple[list[float], float]:
    """Call work(0) ... work(PAGES - 1) from n threads that start together."""
    from django.db import connections

    seconds: list[float] = []
    errors: list[BaseException] = []
    start = threading.Barrier(n + 1)

    def run(first: int) -> None:
        connections["default"].ensure_connection()
        try:
            start.wait()
            for i in range(first, PAGES, n):
                began = time.perf_counter()
                work(i)
                seconds.append(time.perf_counter() - began)
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[first]) for first in range(n)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return seconds, time.perf_counter() - began


def sizes() -> None:
    """One worker's claim in a small study and in a large one, half of it filled."""
    print("surveys  filled places  claim p50 ms  ratio")
    first = None
    rate_alone(lay_out(surveys=100, name="warm-up"))
    for surveys in SIZES:
        study = lay_out(surveys=surveys, name=f"size-{surveys}")
        filled = study.places.filter(number__lte=2).update(free=False)
        p50 = 1000 * float(np.median(rate_alone(study)))
        first = first or p50
        print(f"{surveys:7}  {filled:13}  {p50:12.2f}  {p50 / first:5.2f}")


def rate_alone(study) -> list[float]:
    from django.utils import timezone

    from annotation import assigning
    from annotation.models import Worker

    now, seconds = timezone.now(), []
    for i in range(100):
        worker = Worker.objects.create(
            study=study, platform="direct", external_id=f"worker {i}"
        )
        began = time.perf_counter()
        assigning.claim(worker=worker, now=now)
        seconds.append(time.perf_counter() - began)
    return seconds


def lay_out(*, surveys: int, name: str):
    """An open study: surveys of four texts and a negative, five places each."""
    from annotation.models import (
        Generation,
        Item,
        Negative,
        Place,
        Prompt,
        Study,
        Survey,
    )
    from annotation.studies import create

    study = create(name=name, owner=None, ratings_per_text=5)
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    numbers = range(surveys)
    prompts = Prompt.objects.bulk_create(
        Prompt(study=study, prefix=f"{i}", digest=f"{i}") for i in numbers
    )
    made = Survey.objects.bulk_create(
        Survey(study=study, prompt=prompts[i], number=i, seed=i) for i in numbers
    )
    texts = Generation.objects.bulk_create(
        Generation(study=study, key=f"{i}-{j}", prompt=prompts[i], text="text")
        for i in numbers
        for j in range(4)
    )
    negatives = Negative.objects.bulk_create(
        Negative(
            survey=made[i],
            source=texts[4 * i],
            perturbation="shuffle",
            hurts=["coherence"],
            text="damaged",
            seed=i,
        )
        for i in numbers
    )
    Item.objects.bulk_create(
        [Item(survey=made[i // 4], generation=text) for i, text in enumerate(texts)]
        + [Item(survey=one.survey, negative=one) for one in negatives]
    )
    shuffle = np.random.default_rng(1).integers(2**62, size=(surveys, 5)).tolist()
    Place.objects.bulk_create(
        Place(survey=made[i], study=study, number=n, shuffle=shuffle[i][n - 1])
        for i in numbers
        for n in range(1, 6)
    )
    study.refresh_from_db()
    return study


if __name__ == "__main__":
    measure() if "--here" in sys.argv else run_on_each(__file__)
