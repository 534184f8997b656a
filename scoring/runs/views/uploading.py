"""Scores computed elsewhere: choose a file, look at three pairs, store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation import assistant
from annotation.access import get_study_for
from annotation.imports import UploadError
from annotation.models import Study, Upload
from evalapp.limits.uploads import takes_files, too_large
from scoring.models import MetricRun
from scoring.runs import imported, uploaded, uploaded_systems
from scoring.runs.forms import ScoresForm
from scoring.runs.views.listing import show_runs
from scoring.scores.outputs import metric_title

KIND = {"of": "scores"}  # Upload.choices


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def scores_upload(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return redirect("runs", study.name)
    form, problems = ScoresForm(request.POST, request.FILES), []
    if getattr(request, "upload_refused", False):  # else it would look forgotten
        form, problems = ScoresForm(), [too_large()]
    if form.is_valid():
        try:
            return _take(request, study, form.cleaned_data["file"])
        except UploadError as error:
            problems = error.lines
        except assistant.Refused as error:
            problems = [str(error)]
    return show_runs(request, study, upload=form, problems=problems, status=400)


def _take(request: HttpRequest, study: Study, file: Any) -> HttpResponse:
    """What names texts by id waits until someone has looked at three pairs."""
    given: dict[str, Any] = {"study": study, "file": file, "file_name": file.name}
    if imported.is_meant(file):
        return _stored(request, study, imported.add(**given, user=request.user))
    if uploaded_systems.is_meant(file):
        return _stored(request, study, uploaded_systems.add(**given, user=request.user))
    uploaded.read(**given)
    file.seek(0)
    kept = assistant.keep(
        user=request.user, file=file, file_name=file.name, study=study, choices=KIND
    )
    return redirect("scores_check", study.name, kept.public_id)


@require_http_methods(["GET", "HEAD", "POST"])
def scores_check(request: HttpRequest, name: str, public_id: UUID) -> HttpResponse:
    """Three texts with their values, before anything is stored."""
    study = get_study_for(request.user, name)
    mine = Upload.objects.filter(study=study, user=request.user, choices=KIND)
    kept = mine.filter(public_id=public_id).first()
    if kept is None:
        raise Http404
    if request.POST.get("do") == "discard":
        assistant.discard(kept)
        return redirect("runs", study.name)
    try:
        with assistant.opened(kept) as file:
            checked = uploaded.read(study=study, file=file, file_name=kept.file_name)
        if request.method == "POST" and (not checked.doubt or _is_sure(request)):
            runs = checked.store(user=request.user)
            assistant.discard(kept)
            return _stored(request, study, runs)
    except (UploadError, FileNotFoundError) as error:
        lines = getattr(error, "lines", ["The file was deleted: choose it again."])
        return show_runs(request, study, problems=lines, status=400)
    unsure = request.method == "POST"
    context = {"study": study, "tab": "metrics", "upload": kept, "checked": checked}
    return render(
        request,
        "scoring/runs/scores_check.html",
        {**context, "unsure": unsure},
        status=400 if unsure else 200,
    )


def _is_sure(request: HttpRequest) -> bool:
    return "confirmed" in request.POST


def _stored(
    request: HttpRequest, study: Study, runs: Sequence[MetricRun]
) -> HttpResponse:
    names = ", ".join(sorted({metric_title(run.metric) for run in runs}))
    messages.success(request, f"Scores imported: {names}.")
    return redirect("runs", study.name)
