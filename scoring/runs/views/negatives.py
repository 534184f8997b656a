from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.limits.once import at_most_once
from scoring.judging.ledger import Limit
from scoring.runs import negatives
from scoring.runs.views import agreeing


@at_most_once
@require_POST
def negatives_score(request: HttpRequest, name: str) -> HttpResponse:
    """Score them with each metric that lacks them; ask first before texts are sent."""
    study = get_study_for(request.user, name)
    if agreeing.BACK in request.POST:
        return redirect("analysis", study.name, "diagnosis")
    asked, keys = agreeing.of_negatives(study=study, data=request.POST)
    given = agreeing.limits(asked)
    if given is None:
        return agreeing.page(request, study, None, asked)
    limits = {key: one for key, one in zip(keys, given, strict=True) if one}
    _start(request, study, limits)
    return redirect("analysis", study.name, "diagnosis")


def _start(request: HttpRequest, study: Study, limits: dict[int, Limit]) -> None:
    started, problems = negatives.start_missing(
        study=study, user=request.user, limits=limits
    )
    for problem in problems:
        messages.error(request, f"{problem}.")
    if started:
        names = ", ".join(dict.fromkeys(run.metric for run in started))
        messages.success(request, f"Scoring negatives with: {names}.")
    elif not problems:
        messages.info(request, "Every metric has scored the negatives, or is doing so.")
