from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for, page_of


@require_safe
def study_log(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    page = page_of(request, study.events.select_related("user"))
    for event in page.object_list:
        event.done = event.verb.replace("-", " ").capitalize()
    context = {"study": study, "tab": "workers", "page": page}
    return render(request, "annotation/watching/log.html", context)
