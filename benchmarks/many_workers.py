"""What is lost when many workers share a run, and how often models are loaded.

    DATABASE_URL=postgres://... CELERY_BROKER_URL=redis://... \\
        .venv/bin/python benchmarks/many_workers.py share --workers 1 2 4
    ... benchmarks/many_workers.py share --metric perplexity --workers 1 2
    ... benchmarks/many_workers.py loads --workers 1 2 --order one-by-one mixed

`share` scores one study with 1, 2 and 4 workers. The metric of `waiting/` only waits
for each text. Lost is what is missing from (time in the metric) / (workers x time from
the first chunk that was taken to the end of the run). `loads` scores the texts with
several models, 20 chunks each, with and without the preference of `affinity.py`.

Give it a database and a broker of their own: it makes the tables and leaves its rows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import AppConfig

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = """
from evalapp.settings import *
import scoring.metrics

scoring.metrics.__path__.append({folder!r})
INSTALLED_APPS = [*INSTALLED_APPS, *{apps!r}]
"""
MODELS = ("bundled:causal-nano", "bundled:infill-nano", "bundled:causal-small")
CHUNKS = 20  # of each run of `loads`


class AsBefore(AppConfig):
    """Each worker takes the row that it was woken for, as before there were turns."""

    name = "many_workers"

    def ready(self) -> None:
        from evalapp.work import affinity

        affinity.chosen = lambda kind, *, pk, held, now: pk


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("share", "loads"))
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--texts", type=int, default=1280)
    parser.add_argument("--seconds", type=float, default=0.05, help="of each text")
    parser.add_argument("--loading", type=float, default=5.0, help="of each model")
    parser.add_argument("--models", type=int, default=2, choices=(2, 3))
    parser.add_argument("--metric", choices=("waits", "perplexity"), default="waits")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument(
        "--order", nargs="+", choices=("one-by-one", "mixed"), default=["one-by-one"]
    )
    parser.add_argument("--here", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def main(given: argparse.Namespace) -> None:
    """Each measurement in processes with settings of its own."""
    for before in (False, True) if given.what == "loads" else (False,):
        with tempfile.TemporaryDirectory() as folder:
            apps = ["many_workers.AsBefore"] if before else []
            waiting = str(ROOT / "benchmarks" / "waiting")
            text = SETTINGS.format(folder=waiting, apps=apps)
            (Path(folder) / "settings_here.py").write_text(text)
            env = {
                **os.environ,
                "DATA_DIR": folder,
                "WAITS_LOG": f"{folder}/waits.log",
                "OMP_NUM_THREADS": "1",
                "DJANGO_SETTINGS_MODULE": "settings_here",
                "PYTHONPATH": os.pathsep.join(
                    [str(ROOT), str(ROOT / "benchmarks"), folder]
                ),
            }
            how = "as before" if before else "by turns"
            command = [sys.executable, __file__, *sys.argv[1:], "--here", how]
            subprocess.run(command, env=env, check=True, cwd=ROOT)


def here(given: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    for n in given.workers:
        with workers(n):
            if given.what == "share":
                share(given, n)
            else:
                for order in given.order:
                    loads(given, n, order)


# Workers ------------------------------------------------------------------------------


@contextmanager
def workers(n: int) -> Iterator[None]:
    """Living ones, that have imported everything."""
    from django.utils import timezone

    from evalapp.work import heartbeats
    from scoring.management import supervisor

    heartbeats.forget(owner="")
    log = open(os.environ["DATA_DIR"] + "/worker.log", "ab")  # noqa: SIM115
    hands = [
        subprocess.Popen(supervisor.worker_command(), stderr=log) for _ in range(n)
    ]
    try:
        while len(heartbeats.alive(now=timezone.now())) < n:
            time.sleep(0.1)
        finished(start(lay_out("warm", 64 * n), "waits", seconds=0.05))
        yield
    finally:
        for hand in hands:
            hand.terminate()
        for hand in hands:
            hand.wait(60)


def lay_out(name: str, n: int) -> Any:
    from annotation.models import Generation, Prompt, Study

    study = Study.objects.create(name=f"{name}-{time.time_ns()}", seed=7)
    digest = Prompt.digest_of("Once", "", "")
    prompt = Prompt.objects.create(study=study, prefix="Once", digest=digest)
    words = "upon a time a ferry left the harbour at seven in the morning"
    text = f"Once {' '.join([words] * 6)}. Number {{}}."
    Generation.objects.bulk_create(
        Generation(study=study, key=f"{k}", prompt=prompt, text=text.format(k))
        for k in range(n)
    )
    return study


def start(study: Any, metric: str, **options: Any) -> Any:
    from scoring.runs import starting

    return starting.start(study=study, metric=metric, options=options)


def finished(*runs: Any) -> None:
    for run in runs:
        while not run.ended:
            time.sleep(0.1)
            run.refresh_from_db()
        assert run.state == run.State.DONE, run.error


# Sharing ------------------------------------------------------------------------------


def share(given: argparse.Namespace, n: int) -> None:
    options: dict[str, Any] = {"seconds": given.seconds}
    if given.metric != "waits":
        options = {"model": "bundled:causal-small"}
    for _ in range(given.repeat):
        forget_notes()
        # Nothing is scored twice under one signature: each run has new texts.
        run = start(lay_out("share", given.texts), given.metric, **options)
        finished(run)
        seconds = (run.finished_at - run.started_at).total_seconds()
        chunks = list(run.chunks.all())
        in_metric = sum(chunk.seconds for chunk in chunks)
        lost = 1 - in_metric / n / seconds
        took = f"{seconds:7.2f} s, ideal {in_metric / n:7.2f} s, lost {lost:6.2%}"
        print(f"{given.metric} {n} workers, {len(chunks)} chunks: {took}", flush=True)
        if given.metric == "waits":
            print(f"    {where_it_was_lost(run, n, seconds)}", flush=True)


def where_it_was_lost(run: Any, n: int, seconds: float) -> str:
    """Shares of all the workers' time: before, between and after their chunks."""
    calls = [note for note in notes() if note[0] == "call"]
    first, last = run.started_at.timestamp(), run.finished_at.timestamp()
    before = between = after = 0.0
    pids = {call[1] for call in calls}
    for pid in pids:
        own = sorted(call[2:] for call in calls if call[1] == pid)
        before += max(0.0, own[0][0] - first)
        after += max(0.0, last - own[-1][1])
        pairs = zip(own, own[1:], strict=False)
        between += sum(later[0] - earlier[1] for earlier, later in pairs)
    whole = n * seconds
    each = between / max(1, len(calls) - len(pids))
    return (
        f"before the first {before / whole:.2%}, between {between / whole:.2%}"
        f" ({1000 * each:.0f} ms each), after the last {after / whole:.2%}"
    )


def notes() -> list[list[Any]]:
    lines = Path(os.environ["WAITS_LOG"]).read_text().splitlines()
    return [json.loads(line) for line in lines]


def forget_notes() -> None:
    Path(os.environ["WAITS_LOG"]).write_text("")


# Loading ------------------------------------------------------------------------------


def loads(given: argparse.Namespace, n: int, order: str) -> None:
    from evalapp.work import dispatch
    from scoring.models import Chunk
    from scoring.runs import starting

    starting.TEXTS_PER_CHUNK = starting.MANY_TEXTS_PER_CHUNK = 16
    study = lay_out("loads", 16 * CHUNKS)
    forget_notes()
    held: list[int] = []
    send = dispatch.send
    if order == "mixed":
        dispatch.send = lambda task, pk, queue: held.append(pk)
    begun = time.monotonic()
    wait = {"seconds": given.seconds, "loading": given.loading}
    runs = [start(study, "waits", model=m, **wait) for m in MODELS[: given.models]]
    if order == "mixed":  # a chunk of each in turn, as when messages were lost
        dispatch.send = send
        rows = Chunk.objects.filter(pk__in=held).order_by("index", "run")
        for chunk in rows:
            send(Chunk.TASK, chunk.pk, chunk.queue)
    finished(*runs)
    seconds = time.monotonic() - begun
    kinds = Counter(note[0] for note in notes())
    print(
        f"{given.here:9} {n} workers, {given.models} models, {order:10}:"
        f" {kinds['load']:3} loads, {kinds['call']} chunks, {seconds:6.1f} s,"
        f" runs {ends(runs)}",
        flush=True,
    )


def ends(runs: Sequence[Any]) -> str:
    """When each run was done, seconds after the first began."""
    first = min(run.started_at for run in runs)
    return ", ".join(f"{(r.finished_at - first).total_seconds():.1f}" for r in runs)


if __name__ == "__main__":
    given = arguments()
    here(given) if given.here else main(given)
