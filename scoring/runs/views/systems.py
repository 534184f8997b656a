from __future__ import annotations

import json

import plotly.graph_objects as go
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from scoring.drawing import curves, ladders
from scoring.drawing.charts import mark
from scoring.drawing.files import download_one
from scoring.drawing.ladders import Number, Panel, Rung
from scoring.models import MetricRun
from scoring.runs import systems


@require_safe
def run_table(
    request: HttpRequest, name: str, pk: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs.select_related("study", "signature"), pk=pk)
    file, tables = f"{run.metric}-{run.pk}-{table}", systems.of(run).tables
    # There is no rating in it that might be simulated.
    return download_one(tables, table, study, file, format, of_people=True)


def shown(run: MetricRun) -> dict[str, object]:
    """What the page of a run says of each system."""
    found = systems.of(run)
    chart = curves.divergences(found.curves) if found.curves else None
    return {
        "tables": found.tables,
        "seconds": found.seconds,
        "figure": json.loads(chart.to_json()) if chart else None,
        "bars": json.loads(_bars(found).to_json()) if found.bars else None,
    }


def _bars(found: systems.SystemRun) -> go.Figure:
    """A row for each system, a panel for each output, and ± one SD over seeds."""
    names = {name: place for _, ladder in found.bars for name, place, *_ in ladder}
    panels = []
    for title, ladder in found.bars:
        of = {name: numbers for name, _, *numbers in ladder}
        panels.append(Panel([_number(*of.get(n, (None, None))) for n in names], title))
    rungs = [Rung(name, mark(place), aside=False) for name, place in names.items()]
    return ladders.ladder(rungs, panels, x_title="Mean ± SD over seeds")


def _number(mean: float | None, std: float | None) -> Number:
    ends = (None, None) if mean is None else (mean - (std or 0), mean + (std or 0))
    return {"value": mean, "low": ends[0], "high": ends[1], "n": None}
