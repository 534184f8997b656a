"""The page of the reproduction bundle: ask for one, wait for it, download it."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, reads
from evalapp import storage
from scoring.replication import shelf


@require_safe
def bundle(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {"study": study, "tab": "export", **shelf.SHELF.shown(study)}
    if "state" not in request.GET:
        return render(request, "scoring/replication/bundle.html", context)
    if not context["pending"]:  # someone waited for it
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/replication/_bundle_state.html", context)


@reads
@require_POST
def bundle_make(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    shelf.ask(study=study)
    return redirect("bundle", study.name)


@require_safe
def bundle_download(request: HttpRequest, name: str) -> FileResponse:
    """From the disk, piece by piece."""
    study = get_study_for(request.user, name)
    found = shelf.file_of(shelf.find(study=study))
    if found is None:
        raise Http404("There is no bundle yet. Create one on its page.")
    file = storage.opened(found.name)
    return FileResponse(file, as_attachment=True, filename=found.base)
