"""A metric's record on this site: what it cost, and how far it agreed with people.

Only studies that the reader may see have a part in it.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime

from django.db.models import QuerySet

from annotation.models import Study
from scoring.analyses.overview.result import Correlation, Result
from scoring.analyses.shared.page_basis import compared
from scoring.models import Chunk
from scoring.results import floors, overview
from scoring.scores import baselines
from scoring.scores.outputs import without_metric

STUDIES_SHOWN = 20  # the newest
ROWS_SHOWN = 12  # of each study


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """Correlations with people in one study."""

    study: Study
    rows: list[Correlation]
    more: int = 0  # rows that are not shown
    counted: bool = True  # False: a worker has yet to compute them
    within: str = ""  # what texts are compared within


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
        if rows := _telling(_of(kept, metric)):
            more = max(0, len(rows) - ROWS_SHOWN)
            told = floors.told(rows[:ROWS_SHOWN], floors.find(study=study, now=now))
            within = compared(kept)
            short = [_short(row) for row in told]
            found.append(Record(study, short, more, within=within))
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
    return {**row, "label": without_metric(row["metric"], row["label"])}


def _telling(rows: list[Correlation]) -> list[Correlation]:
    """The rows of outputs meant for their aspect, or all if none is; no empty ones."""
    rows = [row for row in rows if row["n"]]
    return [row for row in rows if row["matching"]] or rows
