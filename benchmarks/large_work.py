"""What a worker does for a large study: seconds and memory of each piece of work.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/large_work.py
    DATA_DIR=/some/folder .venv/bin/python benchmarks/large_work.py overview kept
    ... --json /some/file

Computes the analyses behind the result pages and the figures that are kept for other
pages, of a study that `large_data` has made; words choose some by kind or name. Each
runs in a process of its own, as in a worker that has just started. Then pages show what
they show a researcher: measure them again with `large_study`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OWNER = "benchmark/1/x"


def names(study: Any) -> Iterator[tuple[str, str, str]]:
    """Kind of work, name and variant."""
    from annotation import kept
    from scoring import analyses

    yield from (("analysis", name, "") for name in analyses.names())
    for name in kept.SUMMARIES:
        yield "kept", name, _variant(study, name)


def _variant(study: Any, name: str) -> str:
    """Of which there are many: the one that a page asks for first."""
    if name == "raters":
        ids = study.workers.order_by("pk").values_list("pk", flat=True)
        return " ".join(map(str, ids[:50]))
    if name == "preview":
        return '{"rule":"above_any"}'
    if name == "stopping":
        return f"{study.aspects.first().pk}/-1/{study.ratings_per_text}/{study.state}"
    return ""


def work(kind: str, name: str, variant: str) -> dict[str, Any]:
    """In a process of its own."""
    begin()
    import large_study

    from annotation.models import Study

    study = Study.objects.get(name="large")
    queries = large_study.Queries()
    start, cpu = time.perf_counter(), large_study.processor()
    before = large_study.memory("VmRSS")
    from django.db import connection

    with connection.execute_wrapper(queries):
        problem = _analysis(study, name) if kind == "analysis" else ""
        if kind == "kept":
            problem = _kept(study, name, variant)
    return {
        "work": f"{kind} {name}",
        "clock": time.perf_counter() - start,
        "processor": large_study.processor() - cpu,
        "queries": len(queries.told),
        "database": sum(seconds for seconds, _ in queries.told),
        "peak": large_study.memory("VmHWM"),
        "before": before,
        "problem": problem,
    }


def _analysis(study: Any, name: str) -> str:
    from django.utils import timezone

    from scoring import analyses
    from scoring.models import Analysis
    from scoring.results import analysing

    chosen = analyses.options(name, {})
    now = timezone.now()
    row = analysing.find(study=study, name=name, options=chosen, now=now)
    Analysis.objects.filter(pk=row.pk).update(state="queued")
    analysing.ANALYSES.perform(pk=row.pk, owner=OWNER)
    return str(Analysis.objects.get(pk=row.pk).error)


def _kept(study: Any, name: str, variant: str) -> str:
    from annotation import kept
    from annotation.models import Summary

    kept.read(study=study, name=name, variant=variant)
    rows = Summary.objects.filter(study=study, name=name, variant=variant)
    rows.update(state="queued")
    if (row := rows.first()) is None:
        return "not a large study: worked out while the page waits"
    kept.SUMMARY_WORK.perform(pk=row.pk, owner=OWNER)
    row.refresh_from_db()
    return str(row.error)


def begin() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from evalapp.work import dispatch

    dispatch.send = lambda task, pk, queue: None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    begin()
    from annotation.models import Study

    study = Study.objects.get(name="large")
    print("  clock     CPU      db    q  MB at the peak")
    rows = []
    for asked in names(study):
        if given.words and not {*asked[:2]} & {*given.words}:
            continue
        with get_context("spawn").Pool(1) as pool:
            found = pool.apply(work, asked)
        rows.append(found)
        print(
            f"{found['clock']:7.1f} {found['processor']:7.1f} {found['database']:7.1f}"
            f" {found['queries']:4} {found['peak']:7.0f}"
            f"  {found['work']} {found['problem']}",
            flush=True,
        )
        if given.json:
            given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
