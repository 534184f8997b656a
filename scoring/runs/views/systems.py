from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from scoring.drawing import curves
from scoring.drawing.files import FORMATS, download
from scoring.models import MetricRun
from scoring.runs import systems


@require_safe
def run_table(
    request: HttpRequest, name: str, pk: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs.select_related("study", "signature"), pk=pk)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    found = systems.of(run).tables
    if table not in found:
        raise Http404(f"no table {table!r}")
    file = f"{run.metric}-{run.pk}-{table}"
    # There is no rating in it that might be simulated.
    return download(found[table], study, file, format, of_people=True)


def shown(run: MetricRun) -> dict[str, object]:
    """What the page of a run says of each system."""
    found = systems.of(run)
    chart = curves.divergences(found.curves) if found.curves else None
    return {
        "tables": found.tables,
        "seconds": found.seconds,
        "figure": json.loads(chart.to_json()) if chart else None,
    }
