from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation import studies
from annotation.access import get_study_for
from annotation.imports import UploadError
from annotation.models import Study
from annotation.votes import adding
from annotation.votes.forms import KindsForm, VotesForm
from evalapp.limits.uploads import takes_files


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def study_votes(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form, problems = _sent(request), []
    if form.is_valid():
        try:
            added = _add(request, study, form)
        except UploadError as error:
            problems = error.lines
        else:
            messages.success(request, f"Uploaded: {added}.")
            return redirect("analysis", study.name, "preferences")
    context = {
        "study": study,
        "tab": "results",
        "form": form,
        "problems": problems,
        "formats": adding.FORMATS,
        "files": adding.files(study=study),
    }
    status = 400 if form.errors or problems else 200
    return render(request, "annotation/votes/votes.html", context, status=status)


@require_POST
def votes_delete(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    record = get_object_or_404(study.imports, pk=pk, format__in=adding.FORMATS)
    adding.remove(record=record, user=request.user)
    messages.success(request, f"The votes of {record.file_name} are deleted.")
    return redirect("study_votes", study.name)


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


def _sent(request: HttpRequest) -> VotesForm:
    if request.method != "POST":
        return VotesForm()
    files = request.FILES  # reading these is what may mark the request
    refused = getattr(request, "upload_refused", False)
    return VotesForm(request.POST, files, upload_refused=refused)


def _add(request: HttpRequest, study: Study, form: VotesForm) -> adding.Added:
    given = form.cleaned_data
    return adding.add(
        study=study,
        format=given["format"],
        file=given["file"].file,
        file_name=given["file"].name,
        create_systems=given["create_systems"],
        user=request.user,
    )
