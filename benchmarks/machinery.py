"""What the chunks, leases and upserts of a run cost, and what memory scoring takes.

    python -m benchmarks.machinery --model bundled:causal-nano --texts DIR [--n 10000]
    DATABASE_URL=... CELERY_BROKER_URL=... python -m benchmarks.machinery ...

Perplexity of reviews, each cut after 60 words: once by the scorer alone, all texts in
one call, and once as a run of a study, by one Celery worker that has loaded the metric
before. Both with the same number of threads, in turns. DIR holds *.jsonl.gz with
"text". Memory is the highest that a scorer's process took for a tenth of the texts and
for all of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from scoring.metrics import Example, get
from scoring.metrics._engine import models

WORDS = 60


def texts(folder: Path, n: int) -> list[str]:
    rows = (row for path in sorted(folder.glob("*.jsonl.gz")) for row in _rows(path))
    cut = (" ".join(row["text"].split()[:WORDS]) for row in rows)
    return list(islice(dict.fromkeys(cut), n))


def _rows(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def alone(model: str, some: list[str], threads: int) -> float:
    """Seconds of the scorer itself, loaded before."""
    scorer = get("perplexity")(model=model).load("cpu")
    models.limit_threads(threads)
    scorer([Example(text) for text in some[:64]])
    start = time.perf_counter()
    scorer([Example(text) for text in some])
    return time.perf_counter() - start


def memory(options: argparse.Namespace, n: int) -> float:
    """Highest memory of a process that scores n texts, in MB."""
    command = [sys.executable, "-m", "benchmarks.machinery", "--only-score"]
    command += ["--model", options.model, "--texts", str(options.texts), "--n", str(n)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


def study_of(name: str, some: list[str]):
    from annotation.models import Generation, Prompt, Study, System

    study = Study.objects.create(name=name, title=name, seed=1)
    prompt = Prompt.objects.create(study=study, digest=Prompt.digest_of("", "", ""))
    system = System.objects.create(study=study, name="reviews")
    Generation.objects.bulk_create(
        (
            Generation(
                study=study,
                prompt=prompt,
                system=system,
                key=str(k),
                text=text,
                sample=k,
            )
            for k, text in enumerate(some, start=1)
        ),
        batch_size=1000,
    )
    return study


def as_run(study, model: str, supervisor) -> tuple[float, float, int]:
    """Seconds of a run, seconds of these within the scorer, and chunks."""
    from django.utils import timezone

    from scoring import runs

    run = runs.start(
        study=study, metric="perplexity", options={"model": model}, any_folder=True
    )
    while not run.ended:
        supervisor.tick(now=timezone.now())
        time.sleep(0.2)
        run.refresh_from_db()
    if run.state != "done":
        raise SystemExit(run.error)
    inside = sum(run.chunks.values_list("seconds", flat=True))
    whole = (run.finished_at - run.started_at).total_seconds()
    return whole, inside, run.chunks.count()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="bundled:causal-nano")
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only-score", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_score:
        alone(options.model, texts(options.texts, options.n), threads=1)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    for n in (options.n // 10, options.n):
        print(f"scoring {n:6} texts takes {memory(options, n):7.0f} MB at most")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(DATA_DIR=folder, DJANGO_SETTINGS_MODULE="evalapp.settings")
        compare(options)


def compare(options: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from scoring.management.supervisor import Supervisor

    call_command("migrate", verbosity=0)
    some = texts(options.texts, options.n)
    # As many threads as a worker takes: see loading._load.
    threads = max(1, (os.cpu_count() or 1) - 1)
    supervisor = Supervisor()
    try:
        as_run(study_of("warm", some[:64]), options.model, supervisor)
        print("texts   scorer s    run s  ratio  outside the scorer  chunks")
        for k in range(options.rounds):
            own = alone(options.model, some, threads)
            study = study_of(f"machinery-{k}", some)
            whole, inside, chunks = as_run(study, options.model, supervisor)
            print(
                f"{len(some):6} {own:9.1f} {whole:8.1f} {whole / own:6.3f}"
                f" {1 - inside / whole:18.1%} {chunks:7}"
            )
    finally:
        supervisor.stop(now=timezone.now())


if __name__ == "__main__":
    main()
