from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.views import get_study_for
from scoring import curve_charts, system_runs
from scoring.models import MetricRun
from scoring.result_views import FORMATS, download


@require_safe
def run_table(
    request: HttpRequest, name: str, pk: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs.select_related("study", "signature"), pk=pk)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    found = system_runs.of(run).tables
    if table not in found:
        raise Http404(f"no table {table!r}")
    file = f"{run.metric}-{run.pk}-{table}"
    # There is no rating in it that might be simulated.
    return download(found[table], study, file, format, of_people=True)


def shown(run: MetricRun) -> dict[str, Any]:
    """What the page of a run says of each system."""
    found = system_runs.of(run)
    chart = curve_charts.divergences(found.curves) if found.curves else None
    return {
        "tables": found.tables,
        "seconds": found.seconds,
        "figure": json.loads(chart.to_json()) if chart else None,
    }
