"""Crowdworkers all at once over HTTP: does every text end with exactly its ratings?

    .venv/bin/python benchmarks/coverage.py [--kill] [--spare 2] [--kinds ratings,pair]
    DATABASE_URL=postgres://... CELERY_BROKER_URL=redis://... .venv/bin/python ...

Starts the site by `manage.py up` with four processes, on a folder and a database of its
own, both removed at the end; on SQLite without DATABASE_URL. Of the workers, 20 % leave
a page half done, and every second of those comes back when the lease has lapsed; 15 %
rate the damaged text best, or call it better than its undamaged twin. Some clicks are
double, and some pages are sent again from the browser's history with other answers.
--kill ends one web process midway by SIGKILL.

Ends with 1 unless every text has its ratings and every pair its comparisons, each by
another person, no acknowledged answer is lost or changed, and nothing was answered by a
status of 500 or above.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import crowd_marks
from crowd import LEASE_MINUTES, TWO_PAGES, Crowd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PROCESSES = 4
MAX_PAGES = 6  # of one worker


def main() -> int:
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder, database(folder) as url:
        os.environ |= {
            "DATA_DIR": folder,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "evalapp.settings",
            # Workers rate faster than people, each from an address that they name.
            "STARTS_PER_MINUTE": "100000",
            "BEHIND_PROXY": "True",
        }
        import django
        from django.db import connections

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        try:
            return run(asked)
        finally:
            connections.close_all()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument(
        "--kinds",
        default="ratings",
        help="of pages: ratings, pair; or edit; or spans; or dialogue",
    )
    parser.add_argument("--prompts", type=int, default=20, help="an even number")
    parser.add_argument("--ratings", type=int, default=5, help="per text")
    parser.add_argument("--spare", type=int, default=0, help="spare seats per survey")
    parser.add_argument("--kill", action="store_true", help="a web process midway")
    parser.add_argument("--seconds", type=int, default=600, help="give up after these")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


@contextmanager
def database(folder: str) -> Iterator[str]:
    """The URL of a new database beside the one of DATABASE_URL, or of a file."""
    given = os.environ.get("DATABASE_URL", "")
    if not given.startswith("postgres"):
        yield f"sqlite:///{folder}/db.sqlite3"
        return
    import psycopg

    name = f"coverage_{secrets.token_hex(4)}"
    with psycopg.connect(given, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(given)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run(asked: argparse.Namespace) -> int:
    study = (lay_out_dialogues if asked.kinds == "dialogue" else lay_out)(asked)
    crowd = Crowd(study, asked, wanted=study.surveys.count() * asked.ratings)
    with Site() as site:
        crowd.port = site.port
        print(f"{asked.workers} workers on {study.surveys.count()} pages", flush=True)
        began = time.monotonic()
        with ThreadPoolExecutor(asked.workers) as pool:
            found = [pool.submit(crowd.work, n) for n in range(asked.workers)]
            crowd.watch(site.kill_one if asked.kill else None)
        errors = [one.exception() for one in found if one.exception()]
        seconds = time.monotonic() - began
    return report(crowd, seconds, errors)


# The study and the site ---------------------------------------------------------------


def lay_out(asked: argparse.Namespace) -> Any:
    """An open study, drawn as any other: four systems, two labels for each prefix."""
    from annotation import studies, surveys
    from annotation.models import Generation, Policy, Prompt, System

    study = studies.create(
        name="crowd",
        owner=None,
        labels=["positive", "negative"],
        ratings_per_text=asked.ratings,
        spare_seats=asked.spare,
        lease_minutes=LEASE_MINUTES,
        max_pages=MAX_PAGES,
        seed=asked.seed,
        page_kinds=asked.kinds.split(","),
    )
    # The threads answer in no time: only the damaged text shall discard their pages.
    Policy.objects.create(study=study, version=2)
    systems = [System.objects.create(study=study, name=name) for name in "abcd"]
    for number in range(asked.prompts):
        prefix, label = f"On day {number // 2} of the trip", study.labels.all()
        named = label[number % 2]
        prompt = Prompt.objects.create(
            study=study,
            prefix=prefix,
            label=named,
            position=number,
            digest=Prompt.digest_of(prefix, named.name, ""),
        )
        Generation.objects.bulk_create(
            Generation(
                study=study,
                key=f"{number}-{system}",
                prompt=prompt,
                system=system,
                # Characters of two units in a browser, and line ends of two.
                text=f"{prefix} we saw the old harbour of {number}{system} \U0001f6a2."
                " The boats came home early.\r\nChildren ran along the wall and"
                " laughed \U0001f44d\U0001f3fd. At night the wind turned, and nobody"
                " slept.",
            )
            for system in systems
        )
    surveys.open_study(study=study)
    return study


def lay_out_dialogues(asked: argparse.Namespace) -> Any:
    """An open study of dialogues with two rated turns each, two of them on a page."""
    import io
    import json

    from annotation import imports, surveys
    from annotation.models import Policy, Study

    told = [
        {
            "key": f"talk-{number}",
            "system": "ab"[number % 2],
            "messages": [
                {"role": "user", "content": f"What did you do on day {number}?"},
                {"role": "assistant", "content": f"I saw harbour {number}."},
                {"role": "user", "content": "And what was it like?"},
                {"role": "assistant", "content": f"The boats came home at {number}."},
            ],
        }
        for number in range(2 * asked.prompts)
    ]
    study = imports.run(
        study_name="crowd",
        format="jsonl",
        file=io.BytesIO("\n".join(map(json.dumps, told)).encode()),
        file_name="talks.jsonl",
        owner=None,
    ).study
    Study.objects.filter(pk=study.pk).update(
        ratings_per_text=asked.ratings,
        spare_seats=asked.spare,
        lease_minutes=LEASE_MINUTES,
        max_pages=MAX_PAGES,
        seed=asked.seed,
    )
    Policy.objects.create(study=study, version=2)
    study.refresh_from_db()
    surveys.open_study(study=study)
    return study


class Site:
    """`manage.py up`, as people run it."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def __enter__(self) -> Site:
        bind = ("--bind", f"127.0.0.1:{self.port}")
        command = (sys.executable, str(ROOT / "manage.py"), "up", "--no-worker", *bind)
        self.process = subprocess.Popen(
            [*command, "--processes", str(PROCESSES)], stdout=subprocess.PIPE, text=True
        )
        for line in self.process.stdout or ():
            if "is running at http" in line:
                return self
        raise SystemExit("The site did not start: see above.")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(60)

    def kill_one(self) -> int:
        """Kill a web process, which the server then restarts; return its id."""
        (server,) = children(self.process.pid)
        one = children(server)[0]
        os.kill(one, signal.SIGKILL)
        return one


def children(pid: int) -> list[int]:
    return [
        int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    ]


# What came of it ----------------------------------------------------------------------


def report(crowd: Crowd, seconds: float, errors: list[BaseException | None]) -> int:
    from django.db import connection

    asked, requests = crowd.asked, sum(map(len, crowd.seconds.values()))
    print(f"\n{connection.vendor}, {PROCESSES} processes, {seconds:.0f} s")
    print(f"{requests} requests, {requests / seconds:.0f} per second\n")
    print("request        n   p50 ms   p95 ms")
    for kind, took in sorted(crowd.seconds.items()):
        took.sort()
        p50, p95 = (1000 * took[int(len(took) * q)] for q in (0.5, 0.95))
        print(f"{kind:8} {len(took):7} {p50:8.0f} {p95:8.0f}")
    print("\n" + "\n".join(f"{n:6}  {what}" for what, n in sorted(crowd.n.items())))
    ratings, people, n_cells = coverage(crowd.study)
    print("\nvalid answers   texts or pairs x aspects")
    for n, cells in sorted(ratings.items()):
        print(f"{n:13} {cells:26}")
    wrong = {
        "texts or pairs without exactly their answers": n_cells
        - ratings[asked.ratings],
        "of these by too few different people": n_cells - people[asked.ratings],
        "texts on valid pages without marks": crowd_marks.n_unmarked(crowd.study),
        "acknowledged answers lost or changed": lost(crowd),
        "workers with too many pages": too_many(crowd.study),
        "answers of 500 and above": sum(
            times for what, times in crowd.n.items() if re.search(r" 5\d\d$", what)
        ),
        TWO_PAGES: crowd.n[TWO_PAGES],
        "workers of this script that failed": len(errors),
    }
    print(f"\n{len(crowd.acknowledged)} answers were acknowledged.")
    print("\n".join(f"{n:6}  {what}" for what, n in wrong.items()))
    for error in errors[:3]:
        print(repr(error))
    return int(any(wrong.values()))


def coverage(study: Any) -> tuple[Counter[int], Counter[int], int]:
    """For each number of valid answers, and of people, the texts and pairs x aspects
    with it; and how many of these there are."""
    from django.db.models import Count, Q

    from annotation.models import Aspect, Seat

    print("\nseats")
    states = Seat.objects.filter(survey__study=study).order_by().values_list("state")
    for state, n in states.annotate(Count("pk")):
        print(f"{n:6}  {state}")
    ratings: Counter[int] = Counter()
    people: Counter[int] = Counter()
    if study.corrects_texts:
        valid = Q(items__edits__seat__state="valid")
        for n, m in study.generations.annotate(
            n=Count("items__edits", filter=valid),
            m=Count("items__edits__seat__worker", filter=valid, distinct=True),
        ).values_list("n", "m"):
            ratings[n] += 1
            people[m] += 1
        return ratings, people, study.generations.count()
    for aspect in Aspect.objects.filter(study=study):
        valid = Q(annotations__aspect=aspect, annotations__seat__state="valid")
        for cells in cells_of(aspect):
            for n, m in cells.annotate(
                n=Count("annotations", filter=valid),
                m=Count("annotations__seat__worker", filter=valid, distinct=True),
            ).values_list("n", "m"):
                ratings[n] += 1
                people[m] += 1
    asked = sum(c.count() for one in study.aspects.all() for c in cells_of(one))
    return ratings, people, asked


def cells_of(aspect: Any) -> list[Any]:
    """What the question is asked of: texts, and pairs of two texts."""
    from annotation.models import Pair

    study = aspect.study
    pairs = Pair.objects.filter(survey__study=study, second__isnull=False)
    found = [] if study.page_kinds == ["pair"] else [texts_of(aspect)]
    return found + ([pairs] if study.compares_texts else [])


def texts_of(aspect: Any) -> Any:
    """What the question is about: turns and texts, or whole dialogues."""
    from annotation.models.texts import WHOLE

    texts = aspect.study.generations.all()
    return texts.filter(WHOLE) if aspect.is_of_dialogue else texts.exclude(WHOLE)


def lost(crowd: Crowd) -> int:
    from annotation.models import Annotation, Edit, Seat, comparing

    seats = {seat.public_id: seat for seat in Seat.objects.all()}
    kept = {}
    for public_id, item, aspect, value in Annotation.objects.values_list(
        "seat__public_id", "item_id", "aspect__key", "value"
    ):
        seat = seats[public_id]
        at = seat.order.index(item) + 1
        given = comparing.seen(value, flipped=item in seat.flipped)
        kept[str(public_id), f"a-{at}-{aspect}"] = str(given)
    for public_id, item, rest, unchanged in Edit.objects.values_list(
        "seat__public_id", "item_id", "rest", "unchanged"
    ):
        at = seats[public_id].order.index(item) + 1
        kept[str(public_id), f"e-{at}"] = rest
        kept[str(public_id), f"u-{at}"] = "1" if unchanged else "0"
    kept |= dict(crowd_marks.stored())
    return sum(kept.get(key) != value for key, value in crowd.acknowledged.items())


def too_many(study: Any) -> int:
    from annotation.models import Seat

    seats = Seat.objects.filter(survey__study=study).exclude(state="expired")
    return sum(n > MAX_PAGES for n in Counter(seats.values_list("worker")).values())


if __name__ == "__main__":
    sys.exit(main())
