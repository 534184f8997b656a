"""Exports of a large study, and scores written in bulk: seconds, memory, rows.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/large_files.py exports
    DATA_DIR=/some/folder .venv/bin/python benchmarks/large_files.py scores

Of a study that `large_data` has made. Exports are sent as the site sends them and
counted, not kept. Scores are written as a worker writes them, a chunk at a time and by
each way that the database has, and rolled back. Each runs in a process of its own.
`importing` measures files that come in.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

import large_study
from large_work import begin

CHUNK = 1_000  # texts whose scores are written at once


class Told(dict[str, float]):
    """Seconds by the clock and of the processor, MB of the peak, queries."""


@contextmanager
def measured(told: Told) -> Iterator[None]:
    from django.db import connection

    queries = large_study.Queries()
    start, cpu = time.perf_counter(), large_study.processor()
    with connection.execute_wrapper(queries):
        yield
    told["clock"] = time.perf_counter() - start
    told["processor"] = large_study.processor() - cpu
    told["queries"] = len(queries.told)
    told["peak"] = large_study.memory("VmHWM")


def export(kind: str) -> Told:
    """The file as CSV, piece by piece."""
    begin()
    from annotation import exports
    from annotation.models import Study

    told = Told()
    study = Study.objects.get(name="large")
    with measured(told):
        start = time.perf_counter()
        for line in exports.as_csv(exports.tables()[kind](study=study)):
            told.setdefault("first", time.perf_counter() - start)
            told["rows"] = told.get("rows", -1) + 1  # the first one is the header
            told["bytes"] = told.get("bytes", 0) + len(line.encode())
    return told


def write(way: str) -> Told:
    """New scores of three outputs for 20,000 texts, and again with other values."""
    begin()
    from django.db import transaction

    from annotation.models import Study
    from scoring.models import Score, Signature
    from scoring.runs import copying, saving

    if way == "insert":
        copying.LEAST = 10**9
    study, told = Study.objects.get(name="large"), Told()
    texts = list(study.generations.order_by("pk").values_list("pk", flat=True)[:20_000])
    with transaction.atomic():
        signature = Signature.objects.create(
            digest="benchmark", text="benchmark|v:1", metric="length", outputs=[]
        )
        with measured(told):
            for value in (0.5, 1.5):
                for start in range(0, len(texts), CHUNK):
                    rows = [
                        Score(
                            generation_id=pk,
                            signature=signature,
                            output=output,
                            value=value + pk,
                        )
                        for pk in texts[start : start + CHUNK]
                        for output in ("a", "b", "c")
                    ]
                    saving.upsert(Score, rows)
        told["rows"] = 2 * 3 * len(texts)
        transaction.set_rollback(True)
    return told


TASKS: dict[str, Callable[[str], Told]] = {"exports": export, "scores": write}


def asked(words: list[str]) -> Iterator[tuple[str, str]]:
    from django.db import connection

    from annotation import exports

    if not words or "exports" in words:
        yield from (("exports", kind) for kind in exports.tables())
    if not words or "scores" in words:
        yield "scores", "insert"
        if connection.vendor == "postgresql":
            yield "scores", "copy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    begin()
    print("  clock     CPU  queries  MB at the peak")
    for task, name in asked(given.words):
        with get_context("spawn").Pool(1) as pool:
            told: dict[str, Any] = pool.apply(TASKS[task], (name,))
        rows, cpu = told.get("rows", 0), told["processor"]
        print(
            f"{told['clock']:7.1f} {cpu:7.1f} {told['queries']:8} {told['peak']:7.0f}"
            f"  {task} {name}: {rows:,.0f} rows,"
            f" {told.get('bytes', 0) / 1e6:,.0f} MB, {rows / max(cpu, 0.01):,.0f} a"
            f" second of processor; first after {told.get('first', 0):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
