"""The page of a data set: look at it, say what may be told, have it made."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, reads
from annotation.models import Study
from evalapp import storage
from scoring.archive import permission
from scoring.publishing import preview
from scoring.publishing.companions import COMPANIONS
from scoring.publishing.forms import PublicationForm
from scoring.publishing.shelf import SHELF


@require_safe
def data_set(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if "state" not in request.GET:
        return _page(request, study, PublicationForm(study=study))
    context = {"study": study, **SHELF.shown(study)}
    if not context["pending"]:  # someone waited for it
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/publishing/_state.html", context)


@require_POST
def data_set_settings(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = PublicationForm(request.POST, study=study)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    with transaction.atomic():
        form.save()
        permission.log_change(study=study, user=request.user, now=timezone.now())
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


@require_safe
def bundle(request: HttpRequest, name: str) -> HttpResponse:
    """The address of reproduction bundles, which data sets now have in them."""
    return redirect("data_set", get_study_for(request.user, name).name)


def _page(
    request: HttpRequest, study: Study, form: PublicationForm, status: int = 200
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "export",
        "form": form,
        "level": permission.of(study=study).level,
        "companions": COMPANIONS,
        "preview": preview.of(study=study, now=timezone.now()),
        **SHELF.shown(study),
    }
    template = "scoring/publishing/data_set.html"
    return render(request, template, context, status=status)
