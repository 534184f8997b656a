"""A metric's record on this site: what it cost, and how far it agreed with people.

Only studies that the reader may see have a part in it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from django.db.models import QuerySet, Sum

from annotation.models import Study
from scoring import metrics
from scoring.metrics import UnknownMetric
from scoring.models import Chunk
from scoring.results import overview
from scoring.scores import baselines
from scoring.scores.options import shown
from scoring.stats.analyses.results.overview import Correlation, Result

RUNS_COUNTED = 300  # the newest
STUDIES_SHOWN = 20  # the newest
ROWS_SHOWN = 12  # of each study


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
    rows: list[Correlation]
    more: int = 0  # rows that are not shown
    counted: bool = True  # False: a worker has yet to compute them


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


def _models(metric: str, options: Mapping[str, object]) -> str:
    try:
        fields = metrics.option_fields(metrics.get(metric).Options)
    except UnknownMetric:
        return ""
    named = [f.name for f in fields if f.path == "model"]
    values = [str(shown(options.get(name) or "")) for name in named]
    return ", ".join(filter(None, values))


def with_people(
    *, studies: QuerySet[Study], metric: str, now: datetime
) -> list[Record]:
    """How the metric correlates with people in each study, the newest first.

    As it is kept: where there is nothing yet, a worker is woken up and the study says
    so.
    """
    found = []
    for study in _with_scores(studies, metric)[:STUDIES_SHOWN]:
        kept = overview.of(overview.find(study=study, now=now))
        if kept is None:
            found.append(Record(study, [], counted=False))
            continue
        if rows := _telling([_short(row) for row in _of(kept, metric)]):
            more = max(0, len(rows) - ROWS_SHOWN)
            found.append(Record(study, rows[:ROWS_SHOWN], more))
    return found


def _with_scores(studies: QuerySet[Study], metric: str) -> QuerySet[Study]:
    if metric != baselines.METRIC:  # which needs no run
        scored = Chunk.objects.filter(run__metric=metric, state=Chunk.State.DONE)
        studies = studies.filter(pk__in=scored.values("run__study"))
    return studies.order_by("-pk")


def _of(kept: Result, metric: str) -> list[Correlation]:
    return [row for row in kept["correlations"] if row["metric"] == metric]


def _short(row: Correlation) -> Correlation:
    """Without the metric's name, which the page has as its title."""
    return {**row, "label": row["label"].removeprefix(f"{row['metric']}: ")}


def _telling(rows: list[Correlation]) -> list[Correlation]:
    """The rows of outputs meant for their aspect, or all if none is; no empty ones."""
    rows = [row for row in rows if row["n"]]
    return [row for row in rows if row["matching"]] or rows
