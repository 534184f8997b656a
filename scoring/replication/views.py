"""The page of the reproduction bundle: ask for one, wait for it, download it."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, reads
from annotation.models import Study
from evalapp.queue import beats
from scoring.replication import shelf
from scoring.results import analysing


@require_safe
def bundle(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {"study": study, "tab": "export", **_state(study)}
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
    path = shelf.path(shelf.find(study=study))
    if path is None:
        raise Http404("There is no bundle yet. Create one on its page.")
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)


def _state(study: Study) -> dict[str, object]:
    found = shelf.find(study=study)
    path = shelf.path(found)
    pending = found is not None and not found.ended
    done = found is not None and found.state == shelf.State.DONE
    return {
        "bundle": found,
        "file": path,
        "size": path.stat().st_size if path else 0,
        "made_at": path and datetime.fromtimestamp(path.stat().st_mtime, UTC),
        "pending": pending,
        "elsewhere": done and not path,
        "no_worker": pending and not beats.alive(now=timezone.now()),
        "fresh": found and found.stamp == analysing.stamp_of_all(study=study),
    }
