"""How long a study takes to open, and how much memory: pages, negatives, places.

    .venv/bin/python benchmarks/opening.py 400 4000 20000
    .venv/bin/python benchmarks/opening.py --profile 4000

Short texts (three sentences of the sample study, about 190 characters), by four systems
or, with `--systems 1`, each on a page of its own. Works on a database of its own, which
it removes at the end.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def measure(n: int, systems: int, profile: bool) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    study = lay_out(n, systems)
    before = peak()
    watch = cProfile.Profile()
    with another() as waits:
        start, cpu = time.perf_counter(), time.process_time()
        if profile:
            watch.enable()
        as_in_the_app(study)
        watch.disable()
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(
        f"{n:7} texts  {study.surveys.count():6} pages  {seconds:7.1f} s"
        f"  {cpu:6.1f} s of CPU  others wait {1000 * max(waits, default=0):5.0f} ms"
        f"  peak {peak():4.0f} MB ({before:.0f} before)",
        flush=True,
    )
    if profile:
        pstats.Stats(watch).sort_stats("cumulative").print_stats(45)


def as_in_the_app(study) -> None:
    """A small study here and now, a large one by a worker, which is this process."""
    from annotation import surveys
    from evalapp.work import dispatch

    dispatch.send = lambda task, pk, queue: None
    if asked := surveys.start_opening(study=study):
        from annotation.surveys import opening

        opening.OPENINGS.perform(pk=asked.pk, owner="benchmark")
    study.refresh_from_db()
    assert study.state == study.State.OPEN


@contextmanager
def another() -> Iterator[list[float]]:
    """Someone else saves something ten times a second; how long that took at most."""
    waits: list[float] = []
    code = (
        "import sys, time, django; django.setup();"
        "from django.contrib.auth.models import Group\n"
        "while True:\n"
        "  start = time.perf_counter(); Group.objects.create(name=str(start))\n"
        "  print(time.perf_counter() - start, flush=True); time.sleep(0.1)"
    )
    command = [sys.executable, "-c", code]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout
    child.stdout.readline()  # it has begun
    try:
        yield waits
    finally:
        waits.append(float(child.stdout.readline()))  # one may still be waiting
        child.terminate()
        waits.extend(map(float, child.stdout.read().split()))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lay_out(n: int, n_systems: int):
    """A draft of n texts, in as many prompts as it takes."""
    from annotation.models import Generation, Prompt, System
    from annotation.simulation import sample
    from annotation.studies import create

    study = create(name="opening", owner=None, labels=["positive", "negative"])
    study.seed = 2022
    study.save()
    labels = list(study.labels.all())
    systems = System.objects.bulk_create(
        System(study=study, name=f"system {s}") for s in range(n_systems)
    )
    said = sentences_of(sample.PATH.read_text())
    prompts = Prompt.objects.bulk_create(
        Prompt(
            study=study,
            prefix=f"Story {i}:",
            label=labels[i % 2],
            position=i,
            digest=Prompt.digest_of(f"Story {i}:", labels[i % 2].name, ""),
        )
        for i in range(n // n_systems)
    )
    Generation.objects.bulk_create(
        (
            Generation(
                study=study,
                key=f"{i}-{s}",
                prompt=prompt,
                system=system,
                text=" ".join(
                    said[(7 * i + 31 * s + k * (i % 97 + 1)) % len(said)]
                    for k in range(3)
                ),
            )
            for i, prompt in enumerate(prompts)
            for s, system in enumerate(systems)
        ),
        batch_size=2000,
    )
    return study


def sentences_of(lines: str) -> list[str]:
    import json

    from annotation import sentences

    texts = [json.loads(line)["text"] for line in lines.splitlines()]
    return [one for text in texts for one in sentences.split(text) if len(one) > 20]


def apart(n: int, *more: str) -> None:
    """In a process of its own: memory of an earlier row would count."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "evalapp.settings",
            "PYTHONPATH": str(ROOT),
        }
        env = {**os.environ, **settings}
        env.pop("DATABASE_URL", None)
        command = [sys.executable, __file__, "--here", *more, str(n)]
        subprocess.run(command, env=env, check=True, cwd=ROOT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=int, nargs="+")
    parser.add_argument("--systems", type=int, default=4)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for n in given.texts:
        if given.here:
            measure(n, given.systems, given.profile)
        else:
            more = ["--profile"] if given.profile else []
            apart(n, "--systems", str(given.systems), *more)


if __name__ == "__main__":
    main()
