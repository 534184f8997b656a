from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation import studies
from annotation.access import get_study_for
from annotation.votes.forms import KindsForm


@require_POST
def system_kinds(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = KindsForm(request.POST, study=study)
    if form.is_valid():
        human = [system.name for system in form.cleaned_data["human"]]
        studies.set_human(study=study, names=human, user=request.user)
        named = ", ".join(human) or "none of the systems"
        messages.success(request, f"Written by people: {named}.")
    else:
        messages.error(request, "One of these systems no longer exists. Choose again.")
    return redirect("analysis", study.name, "systems")
