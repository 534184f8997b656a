from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Study
from scoring import metrics
from scoring.metrics import SystemMetric, UnknownMetric
from scoring.results import records
from scoring.runs import catalogue, costs
from scoring.runs.costs import Cost


@require_safe
def metric_list(request: HttpRequest) -> HttpResponse:
    known = costs.costs(studies=Study.objects.visible_to(request.user))
    kinds = {name: metrics.get(name) for name in metrics.names()}
    families = [
        (family, [_row(name, known.get(name, [])) for name in names])
        for family, names in catalogue.families(kinds)
    ]
    return render(request, "scoring/results/metrics.html", {"families": families})


@require_safe
def metric(request: HttpRequest, metric: str) -> HttpResponse:
    try:
        kind = metrics.get(metric)
    except UnknownMetric as error:
        raise Http404(str(error)) from error
    studies = Study.objects.visible_to(request.user)
    known = costs.costs(studies=studies, metric=metric)
    context = {
        **_row(metric, known.get(metric, [])),
        "definition": catalogue.definition(kind),
        "options": catalogue.options(kind),
        "training_options": catalogue.training_options(kind),
        "records": records.with_people(
            studies=studies, metric=metric, now=timezone.now()
        ),
        "shown": records.STUDIES_SHOWN,
        "study": study_named(request),
    }
    return render(request, "scoring/results/metric.html", context)


def study_named(request: HttpRequest) -> Study | None:
    """The study that the reader came from, to lead back to it."""
    name = request.GET.get("study", "")
    return Study.objects.visible_to(request.user).filter(name=name[:50]).first()


def _row(name: str, known: list[Cost]) -> dict:
    kind = metrics.get(name)
    return {
        "name": name,
        "facts": kind,
        "outputs": kind().outputs,
        "vary": catalogue.outputs_vary(kind),
        "needs": catalogue.needs(kind),
        "uses": catalogue.uses(kind),
        "short_needs": sorted(kind.needs),
        "short_uses": sorted(kind.uses),
        "per_system": issubclass(kind, SystemMetric),
        "costs": known,
    }
