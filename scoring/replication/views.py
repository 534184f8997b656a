"""The page of the reproduction bundle: ask for one, wait for it, download it."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Study
from annotation.views import get_study_for
from scoring import beats, bundles, computing, shelving


@require_safe
def bundle(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {"study": study, "tab": "export", **_state(study)}
    if "state" not in request.GET:
        return render(request, "scoring/bundle.html", context)
    if not context["pending"]:  # somebody waited for it
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/_bundle_state.html", context)


@require_POST
def bundle_make(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    bundles.ask(study=study, now=timezone.now())
    return redirect("bundle", study.name)


@require_safe
def bundle_download(request: HttpRequest, name: str) -> FileResponse:
    """From the disk, piece by piece."""
    study = get_study_for(request.user, name)
    path = shelving.path(study=study)
    if path is None:
        raise Http404("there is no bundle: make one on its page")
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)


def _state(study: Study) -> dict[str, Any]:
    found, path = shelving.find(study=study), shelving.path(study=study)
    now = timezone.now()
    pending = found is not None and found.pending(now)
    return {
        "bundle": found,
        "file": path,
        "size": path.stat().st_size if path else 0,
        "pending": pending,
        "lost": found and found.state in (shelving.ASKED, shelving.RUNNING),
        "no_worker": pending and not beats.alive(now=now),
        "fresh": found and found.stamp == computing.stamp_of(study=study),
    }
