from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.access import get_study_for
from scoring.runs import negatives


@require_POST
def negatives_score(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    started, problems = negatives.start_missing(study=study, user=request.user)
    for problem in problems:
        messages.error(request, f"{problem}.")
    if started:
        names = ", ".join(dict.fromkeys(run.metric for run in started))
        messages.success(request, f"Scoring negatives with: {names}.")
    elif not problems:
        messages.info(request, "Every metric has scored the negatives, or is doing so.")
    return redirect("analysis", study.name, "diagnosis")
