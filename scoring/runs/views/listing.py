"""The Metrics page of a study: score with everything that runs here, and all runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.models import Study
from evalapp.limits.once import at_most_once
from evalapp.work import heartbeats
from scoring import metrics
from scoring.drawing.words import sentence
from scoring.models import MetricRun
from scoring.runs import (
    battery,
    catalogue,
    costs,
    doubtful,
    together,
)
from scoring.runs.battery import Choice
from scoring.runs.costs import Estimates
from scoring.runs.together import Together
from scoring.runs.views.runs import kind_of
from scoring.scores.options import in_words, unusual
from scoring.scores.outputs import metric_title

RUNS_A_PAGE = 20
LONGEST_SHOWN = 60  # characters of an option in the list of runs


class Waits(NamedTuple):
    queue: str
    metrics: list[str]


@require_safe
def run_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    asked = request.GET.get("metric", "")
    if asked in metrics.names():
        # Where addresses led that fill in a metric's form.
        query = request.GET.copy()
        query.pop("metric")
        address = reverse("run_choose", args=[study.name, asked])
        return redirect(f"{address}?{query.urlencode()}")
    return _runs(request, study)


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def run_start(request: HttpRequest, name: str) -> HttpResponse:
    """Start a run for each metric that is ticked, with the options that suit."""
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return redirect("runs", study.name)
    ticked = set(request.POST.getlist("metric"))
    visible = Study.objects.visible_to(request.user)
    chosen = [
        one
        for one in battery.choices(study=study, visible=visible)
        if one.metric in ticked and one.ready
    ]
    started, problems = battery.start_all(study=study, chosen=chosen, user=request.user)
    for problem in problems:
        messages.error(request, sentence(problem))
    if not chosen:
        messages.error(request, "Tick one metric or more, then start.")
    way = redirect("runs", study.name)
    if started:
        way["Location"] += "#progress"
    return way


@require_safe
def runs_progress(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _together(request, study)
    if found is not None and found.ended:  # the table below changes with it
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"study": study, "together": found}
    return render(request, "scoring/runs/_together.html", context)


@require_POST
def runs_cancel(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    n = together.cancel_all(study=study)
    messages.success(request, f"{n} run{'s' * (n != 1)} cancelled.")
    return redirect("runs", study.name)


def _runs(request: HttpRequest, study: Study) -> HttpResponse:
    visible = Study.objects.visible_to(request.user)
    choices = battery.choices(study=study, visible=visible)
    page = page_of(request, study.runs.select_related("corpus"), RUNS_A_PAGE)
    chosen = [one for one in choices if one.preselected]
    alive = heartbeats.n_alive(now=timezone.now(), of={one.queue for one in chosen})
    workers = min((n for n in alive.values() if n), default=0)
    context = {
        "study": study,
        "tab": "metrics",
        "n_texts": study.generations.count(),
        "groups": _groups(choices),
        "families": catalogue.FAMILIES,
        "chosen": chosen,
        "seconds": costs.together([one.estimate for one in chosen], workers),
        "workers": workers,
        "waits": _waits(chosen, alive),
        "together": _together(request, study),
        "page": page,
        "runs": [(run, kind_of(run.metric), _chosen(run)) for run in page],
        "kind": request.GET.get("kind", ""),
        "q": request.GET.get("q", "")[:LONGEST_SHOWN],
        "doubtful": doubtful.of(study),
    }
    return render(request, "scoring/runs/runs.html", context)


def _waits(chosen: Sequence[Choice], alive: Mapping[str, int]) -> list[Waits]:
    """Queues that nobody takes, with the metrics that would wait there."""
    return [
        Waits(queue, [metric_title(one.metric) for one in chosen if one.queue == queue])
        for queue in sorted(alive)
        if not alive[queue]
    ]


Row = dict[str, object]


def _groups(choices: Sequence[Choice]) -> list[tuple[str, str, list[Row]]]:
    """Slug, title and rows of the parts of the table."""
    parts: tuple[tuple[str, str, Callable[[Choice], bool]], ...] = (
        ("ready", "Can run now", lambda one: _can_run(one) and not one.under_way),
        ("under-way", "Being scored", lambda one: _can_run(one) and one.under_way),
        ("scored", "Already scored", lambda one: one.ready and one.scored),
        ("missing", "Something is missing", lambda one: not one.ready),
    )
    found = [(k, t, [_row(c) for c in choices if has(c)]) for k, t, has in parts]
    return [(slug, title, rows) for slug, title, rows in found if rows]


def _can_run(one: Choice) -> bool:
    return one.ready and not one.scored


def _row(one: Choice) -> Row:
    return {
        "choice": one,
        "family": catalogue.family(one.kind),
        "measures": catalogue.measures(one.kind),
        "options": _worth_saying(one),
    }


def _worth_saying(one: Choice) -> dict[str, str]:
    """Which models it will run with."""
    models = {model.value for model in one.models}
    named = {name: v for name, v in one.options.items() if v in models}
    return in_words(one.metric, named)


def _together(request: HttpRequest, study: Study) -> Together | None:
    known: list[Estimates] = []  # read only where a run has not begun

    def expected(run: MetricRun) -> float:
        visible = Study.objects.visible_to(request.user)
        estimates = known[0] if known else Estimates(study, visible)
        known[:] = [estimates]
        found = estimates.of(run.metric, run.options)
        return found.seconds if found else costs.rough(run.metric, estimates.texts)

    return together.latest(study=study, expected=expected, now=timezone.now())


def _chosen(run: MetricRun) -> dict[str, str]:
    """The options that are not as they come."""
    found = in_words(run.metric, unusual(run.metric, run.options))
    return {k: Truncator(value).chars(LONGEST_SHOWN) for k, value in found.items()}
