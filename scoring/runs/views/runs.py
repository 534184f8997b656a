"""The page of one run."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.work.views import cancel_view, retry_view
from scoring import metrics
from scoring.drawing import files
from scoring.judging import judge_prompt
from scoring.metrics import UnknownMetric
from scoring.models import MetricRun
from scoring.runs import directions, figures, outcomes
from scoring.runs.forms import DirectionsForm
from scoring.runs.views import judging, systems
from scoring.runs.work import RUNS
from scoring.scores.options import bundled, in_words, used


@require_safe
def run(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = _run_context(study, _run(study, pk))
    return render(request, "scoring/runs/run.html", context)


@require_safe
def run_progress(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Once it has ended, too: then the fragment has no trigger."""
    study = get_study_for(request.user, name)
    context = _run_context(study, _run(study, pk))
    shown = context["systems"] or {}
    if shown.get("figure") or shown.get("bars"):  # drawn when a page is loaded
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/runs/_run.html", context)


@require_POST
def run_directions(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Say which way scores from elsewhere are better."""
    study = get_study_for(request.user, name)
    found = _run(study, pk)
    form = DirectionsForm(request.POST, directions=directions.changeable(found))
    if not form.is_valid():
        messages.error(request, "Choose a direction for each score.")
        return redirect(found)
    try:
        changed = directions.change(
            run=found, directions=form.said(), now=timezone.now(), user=request.user
        )
    except directions.NotChanged as error:
        messages.error(request, str(error))
        return redirect(found)
    told = f"Changed: {'; '.join(changed)}." if changed else "Nothing was changed."
    messages.success(request, told)
    return redirect(found)


@require_safe
def run_scores(request: HttpRequest, name: str, pk: int) -> StreamingHttpResponse:
    study = get_study_for(request.user, name)
    found = _run(study, pk)
    header, rows = outcomes.scores(study=study, run=found)
    return files.stream(header, rows, f"{study.name}-{found.metric}-{pk}")


def _run(study: Study, pk: int) -> MetricRun:
    found = MetricRun.objects.select_related("study", "signature", "corpus")
    return get_object_or_404(found, study=study, pk=pk)


def _asked(request: HttpRequest, name: str, pk: int) -> MetricRun:
    return _run(get_study_for(request.user, name), pk)


run_cancel = cancel_view(RUNS, _asked)
run_retry = retry_view(RUNS, _asked)


def _run_context(study: Study, found: MetricRun) -> dict:
    outputs = outcomes.summary(run=found) if found.ended else []
    of_systems = any(output.per_system for output in outputs)
    progress = figures.progress(run=found)
    told = judge_prompt.of(found)
    shown = used(found.metric, found.options)
    if told:  # in a place of their own
        shown.pop("steps", None)
    turnable = directions.changeable(found)
    return {
        "study": study,
        "tab": "metrics",
        "run": found,
        "directions": DirectionsForm(directions=turnable) if turnable else None,
        "facts": kind_of(found.metric),
        "options": in_words(found.metric, shown),
        "told": told,
        "bundled": bundled(found.options),
        "progress": progress,
        "outputs": outputs,
        "systems": systems.shown(found) if of_systems else None,
        "undefined": outcomes.undefined(run=found) if found.ended else [],
        "notes": found.notes,
        **judging.context_of(found, progress),
    }


def kind_of(metric: str) -> type | None:
    """None for the run of a metric whose file is gone."""
    try:
        return metrics.get(metric)
    except UnknownMetric:
        return None
