"""What a run asked a judge over the network: calls, problems, and a higher limit."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for
from evalapp.work.progress import Progress
from scoring import metrics
from scoring.drawing import files
from scoring.drawing.words import sentence
from scoring.judging import budget, estimates, usage_report
from scoring.judging.forms.limits import RaiseForm
from scoring.judging.ledger import LimitError
from scoring.metrics import OptionError, UnknownMetric
from scoring.models import MetricRun


@require_safe
def run_calls(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """The calls that had a problem, by kind."""
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs, pk=pk, most_calls__isnull=False)
    context = {
        "study": study,
        "tab": "metrics",
        "run": run,
        "n": usage_report.calls_of(run).count(),
        "problems": usage_report.problems(run),
    }
    return render(request, "scoring/runs/calls.html", context)


@require_safe
def run_calls_csv(request: HttpRequest, name: str, pk: int) -> StreamingHttpResponse:
    """All calls: neither a key nor an address is among what is kept of them."""
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs, pk=pk, most_calls__isnull=False)
    rows = usage_report.table(run)
    file = f"{study.name}-{run.metric}-{run.pk}-calls"
    return files.stream(next(rows), rows, file)


@require_POST
def run_raise(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Go on with a run that stopped at its limit."""
    study = get_study_for(request.user, name)
    run = get_object_or_404(study.runs, pk=pk, most_calls__isnull=False)
    form = RaiseForm(run, request.POST)
    if not form.is_valid():
        messages.error(request, form.problems())
        return redirect(run)
    try:
        budget.raise_run_limit(run=run, limit=form.limit(), user=request.user)
    except LimitError as error:
        messages.error(request, sentence(error))
    return redirect(run)


def context_of(run: MetricRun, progress: Progress) -> dict[str, Any]:
    """What the page of a run says about its judge; nothing if it asks none."""
    if not usage_report.asks(run):
        return {}
    done = progress.done / progress.total if progress.total else 0
    planned = progress.total * _calls_of_a_text(run)
    spent = usage_report.spent(
        run, share=done, now=timezone.now(), planned=planned or None
    )
    if not spent.reached:
        return {"spent": spent}
    unasked = len(budget.unasked_texts(run))
    return {
        "spent": spent,
        # The form says it, too.
        "notes": [note for note in run.notes if not usage_report.says_so(note)],
        "raise_form": RaiseForm(run),
        "unasked": unasked,
        "scored": progress.done - unasked,
    }


def _calls_of_a_text(run: MetricRun) -> int:
    """0 where the metric does not take its options any more."""
    try:
        return estimates.calls_of_a_text(metrics.get(run.metric)(**run.options))
    except (OptionError, UnknownMetric):
        return 0
