"""A metric's record on this site: what it cost, and how far it agreed with people.

Only studies that the reader may see have a part in it.
"""

from __future__ import annotations

import dataclasses
import time
from collections import defaultdict
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet, Sum

from annotation import human_scores
from annotation.models import Study
from scoring import baselines, folders, meta_evaluation, metrics
from scoring.meta_evaluation import CorrelationRow
from scoring.metrics import UnknownMetric
from scoring.models import Chunk

RUNS_COUNTED = 300  # the newest
STUDIES_SHOWN = 20  # the newest
ROWS_SHOWN = 12  # of each study
# Seconds of a request that may go into correlations that nobody has asked for yet.
PATIENCE = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """What scoring took, over all runs with the same models."""

    models: str  # "" for a metric without
    texts: int
    seconds: float
    runs: int

    @property
    def per_thousand(self) -> float:
        """Seconds for 1000 texts."""
        return 1000 * self.seconds / self.texts


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """Correlations with people in one study."""

    study: Study
    rows: list[CorrelationRow]
    more: int = 0  # rows that are not shown
    counted: bool = True  # False: there was no time for it in this request


def costs(*, studies: QuerySet[Study], metric: str = "") -> dict[str, list[Cost]]:
    """By metric, the cheapest first. Loading is not in it. One query."""
    done = Chunk.objects.filter(
        state=Chunk.State.DONE,
        scored__gt=0,
        seconds__gt=0,
        run__study__in=studies,
        **({"run__metric": metric} if metric else {}),
    )
    runs = done.order_by("-run_id").values_list("run", "run__metric", "run__options")
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0])
    for _, name, options, texts, seconds in runs.annotate(
        Sum("scored"), Sum("seconds")
    )[:RUNS_COUNTED]:
        total = sums[name, _models(name, options)]
        total[0] += texts
        total[1] += seconds
        total[2] += 1
    found: dict[str, list[Cost]] = defaultdict(list)
    for (name, models), (texts, seconds, n) in sums.items():
        found[name].append(Cost(models, int(texts), seconds, int(n)))
    for of_metric in found.values():
        of_metric.sort(key=lambda cost: cost.per_thousand)
    return dict(found)


def _models(metric: str, options: dict[str, Any]) -> str:
    try:
        fields = dataclasses.fields(metrics.get(metric).Options)
    except UnknownMetric:
        return ""
    named = [f.name for f in fields if f.metadata.get("path") == "model"]
    values = [str(folders.shown(options.get(name) or "")) for name in named]
    return ", ".join(filter(None, values))


def with_people(*, studies: QuerySet[Study], metric: str) -> list[Record]:
    """How the metric correlates with people in each study, the newest first.

    What was computed before is shown at once; new figures are computed for a second
    at most, and the other studies say that theirs are still to come.
    """
    found, end = [], time.monotonic() + PATIENCE
    for study in _with_scores(studies, metric)[:STUDIES_SHOWN]:
        key = _key(study, metric)
        rows = cache.get(key)
        if rows is None and time.monotonic() < end:
            rows = meta_evaluation.correlations(study=study, metric=metric)
            cache.set(key, rows, timeout=60 * 60 * 24)
        if rows is None:
            found.append(Record(study, [], counted=False))
        elif rows := _telling(rows):
            more = max(0, len(rows) - ROWS_SHOWN)
            found.append(Record(study, rows[:ROWS_SHOWN], more))
    return found


def _with_scores(studies: QuerySet[Study], metric: str) -> QuerySet[Study]:
    if metric != baselines.METRIC:  # which needs no run
        scored = Chunk.objects.filter(run__metric=metric, state=Chunk.State.DONE)
        studies = studies.filter(pk__in=scored.values("run__study"))
    return studies.order_by("-pk")


def _key(study: Study, metric: str) -> str:
    """Changes with ratings and with scores. Five small queries."""
    done = Chunk.objects.filter(run__study=study, run__metric=metric)
    last = done.filter(state=Chunk.State.DONE).aggregate(Max("pk"), n=Count("pk"))
    finished = done.aggregate(at=Max("finished_at"))["at"]
    parts = (
        *("record", study.public_id, metric, *last.values()),
        finished and finished.timestamp(),
        human_scores.stamp(study=study),
    )
    return ":".join(map(str, parts))


def _telling(rows: list[CorrelationRow]) -> list[CorrelationRow]:
    """The rows of outputs meant for their aspect, or all if none is; no empty ones."""
    rows = [row for row in rows if row.n]
    return [row for row in rows if row.matching] or rows
