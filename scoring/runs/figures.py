"""How far runs are, and how many numbers they have given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from evalapp.work import queues
from evalapp.work.progress import Progress, workers_of
from scoring.models import Chunk, MetricRun, NegativeScore, Score
from scoring.scores import systems as system_scores

NO_CHUNKS: dict[str, Any] = {
    **{"done": 0, "total": 0, "recent": 0, "failed": 0},
    "queue": queues.CPU,
}


class OutputCount(NamedTuple):
    """How many values an output has, and how many are undefined, by reason."""

    output: str
    scored: int
    undefined: Counter[str]


def progress(*, run: MetricRun, now: datetime | None = None) -> Progress:
    """How far one run is. Two queries, whatever its size."""
    return progress_of([run], now=now)[run.pk]


def progress_of(
    runs: Sequence[MetricRun], now: datetime | None = None
) -> dict[int, Progress]:
    """How far each run is, by its key. Two queries, however many runs there are. What
    is done are texts, what failed are chunks.

    The state is that of a run as it was read.
    """
    now = now or timezone.now()
    running = Q(state=Chunk.State.RUNNING)
    recent = running | Q(finished_at__gte=F("run__started_at"))
    rows = Chunk.objects.filter(run__in=runs).order_by().values("run_id")
    counted = rows.annotate(
        done=Sum("done_items"),
        total=Sum("total_items"),
        recent=Coalesce(Sum("done_items", filter=recent), 0),
        failed=Count("pk", filter=Q(state=Chunk.State.FAILED)),
        queue=Max("queue"),  # the same for all of them
    )
    figures = {row.pop("run_id"): row for row in counted}
    of_run = {run.pk: figures.get(run.pk, NO_CHUNKS) for run in runs}
    workers = workers_of({row["queue"] for row in of_run.values()}, now=now)
    return {
        run.pk: _progress(run, row := of_run[run.pk], workers[row["queue"]], now)
        for run in runs
    }


def _progress(
    run: MetricRun, figures: Mapping[str, Any], workers: int, now: datetime
) -> Progress:
    rate = _rate(run, figures["recent"], now)
    left = figures["total"] - figures["done"]
    return Progress(
        state=run.state,
        done=figures["done"],
        total=figures["total"],
        failed=figures["failed"],
        rate=rate,
        seconds_left=left / rate if rate and not run.ended else None,
        workers=workers,
        error=run.error,
        queue=figures["queue"],
    )


def counts(*, run: MetricRun) -> list[OutputCount]:
    """How many of the study's texts, or systems, have a number. Five queries at most.

    Of a run on negatives: how many of these. A system counts once, with all its seeds.
    """
    found: dict[str, Counter[str]] = {}
    if run.signature is None:
        return []
    scores: QuerySet[Score] | QuerySet[NegativeScore]
    scores = Score.objects.filter(generation__study=run.study_id)
    if run.on == MetricRun.On.NEGATIVES:
        scores = NegativeScore.objects.filter(negative__survey__study=run.study_id)
    rows = scores.filter(signature=run.signature_id).order_by()
    for output, reason, n in rows.values_list("output", "reason").annotate(
        n=Count("pk")
    ):
        found.setdefault(output, Counter())[reason] = n
    of_systems = system_scores.read(study=run.study, signature=run.signature)
    for (_, output), given in of_systems.given.items():
        found[output] = Counter(
            one.reason if one.mean is None else "" for one in given.values()
        )
    return [OutputCount(output, c.pop("", 0), c) for output, c in found.items()]


def _rate(run: MetricRun, items: int, now: datetime) -> float | None:
    if run.started_at is None or not items:
        return None
    seconds = ((run.finished_at or now) - run.started_at).total_seconds()
    return items / seconds if seconds > 0 else None
