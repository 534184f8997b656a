"""The ways out: to come back later, or to finish.

The completion code and what the study hid appear only on the last page. Until a worker
has finished, whatever leads there (Back, the address, another tab or device) says that
their page is submitted and how to continue. No GET writes anything.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import assigning, platforms, workers
from annotation.crowd import consent, endings, invites, proofs, speaking
from annotation.crowd.cookies import current_worker
from annotation.crowd.left import pages_done, pages_left
from annotation.crowd.views import proving
from annotation.crowd.views.entry import has_agreed, unfinished
from annotation.models import Seat, Worker
from annotation.platforms import Platform


@login_not_required
@never_cache
@require_safe
@proving.proven
def leave(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """How to come back."""
    study = speaking.study_of(study_id)
    worker, platform = current_worker(request, study), platforms.of(study)
    if worker is None or platform is None:
        return redirect(study.get_worker_url())
    if not worker.takes_part:
        return redirect("worker:done", study.public_id)
    code = worker.personal_code
    query = urlencode({platform.parameter: worker.external_id, proofs.PARAMETER: code})
    link = request.build_absolute_uri(f"{study.get_worker_url()}?{query}")
    is_claim = platform.new_id and not invites.is_invited(worker.external_id)
    context = {
        "study": study,
        "platform": platform,
        "unfinished": unfinished(worker),
        "pages_done": pages_done(worker),
        # Elsewhere the platform's own page knows who they are.
        "resume_link": link if is_claim else None,
        "personal_code": code,
    }
    return render(request, "annotation/crowd/leave.html", context)


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proving.proven
def finish(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """Ask whether they mean it; then nothing can be rated any more."""
    study = speaking.study_of(study_id)
    worker = current_worker(request, study)
    if worker is None:
        return redirect(study.get_worker_url())
    worker.study = study
    n_pages = pages_done(worker)
    if worker.debriefed_at or not n_pages:
        return redirect("worker:done", study.public_id)
    if request.method == "POST":
        workers.finish(worker=worker, now=timezone.now())
        return redirect("worker:done", study.public_id)
    context = {
        "study": study,
        "pages_done": n_pages,
        **how_to_go_on(worker),
    }
    return render(request, "annotation/crowd/finish.html", context)


@login_not_required
@never_cache
@require_safe
@proving.proven
def done(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """The thank-you, code and debriefing for workers who have finished."""
    study = speaking.study_of(study_id)
    worker, platform = current_worker(request, study), platforms.of(study)
    if worker is None or platform is None:
        return redirect(study.get_worker_url())
    worker.study = study
    n_pages = pages_done(worker)
    if n_pages and worker.debriefed_at is None:
        return between(request, worker, n_pages)
    if not n_pages and (
        unfinished(worker) or pages_left(study, worker, timezone.now())
    ):
        return redirect(study.get_worker_url())
    return the_end(request, worker, platform, n_pages)


def between(request: HttpRequest, worker: Worker, n_pages: int) -> HttpResponse:
    """A page is submitted, and the worker has not finished."""
    study = worker.study
    context = {
        "study": study,
        "pages_done": n_pages,
        **how_to_go_on(worker),
        "ending": endings.of(worker, n_pages),
        "is_stopped": worker.state != Worker.State.ACTIVE,
        "contact": consent.contact(study),
    }
    return render(request, "annotation/crowd/between.html", context)


def how_to_go_on(worker: Worker) -> dict[str, Any]:
    """What is left for a worker who has not finished, for the page that asks."""
    study, begun = worker.study, unfinished(worker)
    return {
        "unfinished": begun,
        "goes_on": begun or pages_left(study, worker, timezone.now()),
        "has_agreed": has_agreed(worker, study),
        "over": assigning.has_nothing_left(worker),
    }


def the_end(
    request: HttpRequest, worker: Worker, platform: Platform, n_pages: int
) -> HttpResponse:
    study = worker.study
    ending = endings.of(worker, n_pages)
    context = {
        "study": study,
        "platform": platform,
        "ending": ending,
        "home": ending.home(study, worker.external_id),
        "pages_done": n_pages,
        "pay": consent.pay(study),
        "contact": consent.contact(study),
        "personal_code": worker.personal_code,
        "damaged": damaged_pages(worker, n_pages),
        "withdrawn": worker.state == Worker.State.WITHDRAWN,
    }
    return render(request, "annotation/crowd/done.html", context)


def damaged_pages(worker: Worker, n_pages: int) -> str:
    """On which of the worker's pages a text was damaged: all, some, or none ("")."""
    finished = worker.seats.filter(state__in=Seat.FINISHED)
    n = finished.filter(survey__negative__isnull=False).count()
    if not n:
        return ""
    return "all" if n == n_pages else "some"
