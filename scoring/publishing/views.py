"""The page of a data set: look at it, say what may be told, have it made."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import events
from annotation.access import get_study_for, reads
from annotation.models import Study
from evalapp import storage
from evalapp.queue import beats
from scoring.publishing import permission, preview
from scoring.publishing.forms import PublicationForm
from scoring.publishing.shelf import SHELF


@require_safe
def data_set(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    state = _state(study)
    if "state" not in request.GET:
        return _page(request, study, PublicationForm(study=study))
    if not state["pending"]:  # someone waited for it
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"study": study, **state}
    return render(request, "scoring/publishing/_state.html", context)


@require_POST
def data_set_settings(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = PublicationForm(request.POST, study=study)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    form.save()
    events.log(
        study=study,
        verb="changed-publication",
        now=timezone.now(),
        user=request.user,
        detail=f"Single ratings to be published: {permission.of(study=study).level}.",
    )
    messages.success(request, "Saved.")
    return redirect("data_set", study.name)


@reads
@require_POST
def data_set_make(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    SHELF.ask(study=study)
    return redirect("data_set", study.name)


@require_safe
def data_set_download(request: HttpRequest, name: str) -> FileResponse:
    """From the disk, piece by piece."""
    study = get_study_for(request.user, name)
    found = SHELF.file_of(SHELF.find(study=study))
    if found is None:
        raise Http404("There is no data set yet. Create one on its page.")
    file = storage.opened(found.name)
    return FileResponse(file, as_attachment=True, filename=found.base)


def _page(
    request: HttpRequest, study: Study, form: PublicationForm, status: int = 200
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "export",
        "form": form,
        "level": permission.of(study=study).level,
        "preview": preview.of(study=study, now=timezone.now()),
        **_state(study),
    }
    template = "scoring/publishing/data_set.html"
    return render(request, template, context, status=status)


def _state(study: Study) -> dict[str, object]:
    found = SHELF.find(study=study)
    file = SHELF.file_of(found)
    waiting = found if found and not found.ended else None
    done = found is not None and found.state == found.State.DONE
    return {
        "made": found,
        "file": file,
        "size": file.bytes if file else 0,
        "made_at": file and file.modified,
        "pending": waiting is not None,
        "elsewhere": done and not file,
        "no_worker": waiting
        and not beats.alive(now=timezone.now(), queue=waiting.queue),
        "fresh": found and found.stamp == SHELF.stamp(study),
    }
