"""The analyses that a study has nothing for, with what each would need."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from scoring import analyses
from scoring.analyses import pages
from scoring.results import offering


@require_safe
def more(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = offering.facts(study=study)
    context = {
        "study": study,
        "tab": "results",
        "analyses": [
            {
                "name": name,
                "title": analyses.get(name).TITLE,
                "lead": pages.get(name).LEAD,
                "missing": missing,
            }
            for name in analyses.names()
            if (missing := offering.missing(name, found))
        ],
    }
    return render(request, "scoring/results/more.html", context)
