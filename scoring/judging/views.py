"""The pages of judges: which there are, what they are asked, and what that shows."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.models import Study
from evalapp.queue import beats
from scoring.drawing.charts import drawn
from scoring.drawing.files import FORMATS, download
from scoring.drawing.words import sentence
from scoring.judging import estimating, pairs, showing, trials
from scoring.judging.forms import LimitForm, PairsForm
from scoring.judging.spending import LimitError
from scoring.judging.trials import TrialError
from scoring.metrics import MetricError, OptionError
from scoring.models import JudgeTrial

TRIALS_A_PAGE = 20
REFUSED = (LimitError, MetricError, OptionError, TrialError)


@require_safe
def judge_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    there = pairs.possible(study=study)
    given = request.GET if "model" in request.GET else None  # back from the next page
    return _list(request, study, there, PairsForm(study, there, given))


@require_http_methods(["GET", "HEAD", "POST"])
def pairs_agree(request: HttpRequest, name: str) -> HttpResponse:
    """What would be sent, and who agrees to it. The address carries the choices."""
    study = get_study_for(request.user, name)
    if not request.GET:
        return redirect("judges", name)
    there = pairs.possible(study=study)
    form = PairsForm(study, there, request.GET)
    if not form.is_valid():
        return _list(request, study, there, form, status=400)
    options = form.options()
    try:
        setup = pairs.check(study, form.setup(), there)
        estimate = pairs.estimate(study=study, options=options, setup=setup)
        limit_form = LimitForm(estimate, request.POST or None)
        if limit_form.is_valid():
            chosen = {"options": options, "setup": form.setup(), "user": request.user}
            limit = limit_form.limit()
            return redirect(
                trials.start(study=study, kind="pairs", limit=limit, **chosen)
            )
    except REFUSED as error:
        form.add_error(None, sentence(error))
        return _list(request, study, there, form, status=400)
    context = {"estimate": estimate, "limit_form": limit_form, "setup": setup}
    context["choices"] = request.GET.urlencode()
    return render(
        request,
        "scoring/judging/pairs_agree.html",
        {"study": study, "tab": "metrics", "n": len(setup["pairs"]), **context},
        status=400 if limit_form.is_bound else 200,
    )


@require_safe
def trial_page(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _trial(study, trial)
    context = {**_context(study, found), "sections": _sections(found)}
    return render(request, "scoring/judging/trial.html", context)


@require_safe
def trial_progress(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _trial(study, trial)
    if found.ended:  # charts are drawn when a page loads
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/judging/_trial.html", _context(study, found))


@require_POST
def trial_cancel(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _trial(study, trial)
    trials.cancel(trial=found)
    return redirect(found)


@require_POST
def trial_retry(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _trial(study, trial)
    try:
        trials.retry(trial=found)
    except REFUSED as error:
        messages.error(request, sentence(error))
    return redirect(found)


@require_safe
def trial_table(
    request: HttpRequest, name: str, trial: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _trial(study, trial)
    if format not in FORMATS:
        raise Http404(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    tables = showing.tables(found)
    if table not in tables:
        raise Http404(f"no table {table!r}")
    # Verdicts are a judge's, whether or not people are simulated.
    file_name = f"judge-{found.pk}-{table}"
    return download(tables[table], study, file_name, format, of_people=True)


def _trial(study: Study, pk: int) -> JudgeTrial:
    found = JudgeTrial.objects.select_related("study", "created_by")
    return get_object_or_404(found, study=study, pk=pk)


def _list(
    request: HttpRequest,
    study: Study,
    there: pairs.Possible,
    form: PairsForm,
    status: int = 200,
) -> HttpResponse:
    rows = study.judge_trials.select_related("study").defer("result", "setup")
    page = page_of(request, rows, TRIALS_A_PAGE)
    known = estimating.known()
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "there": there,
        "endpoints": known.known,
        "problems": known.problems,
        "page": page,
        "rows": [
            (row, showing.KINDS[row.kind].name, showing.judge(row)) for row in page
        ],
    }
    return render(request, "scoring/judging/judges.html", context, status=status)


def _context(study: Study, found: JudgeTrial) -> dict[str, object]:
    return {
        "study": study,
        "tab": "metrics",
        "trial": found,
        # The fragment of a run's state shows this, too.
        "run": found,
        "title": showing.title(found),
        "judge": showing.judge(found),
        "facts": showing.KINDS[found.kind].facts(found),
        "no_worker": not found.ended and not beats.alive(now=timezone.now()),
        "votes_as": showing.voter(found),
        "votes_query": urlencode({"judge": showing.voter(found)}),
        # Names files that the page saves.
        "analysis": f"judge-{found.pk}",
    }


def _sections(found: JudgeTrial) -> list[dict[str, object]]:
    return [
        {"section": section, "figure": json.loads(chart.to_json()) if chart else None}
        for section in showing.sections(found)
        for chart in [drawn(section.chart)]
    ]
