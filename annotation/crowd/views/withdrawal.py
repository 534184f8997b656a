"""Taking one's answers back: a page that says what goes, and a button that does it."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation import platforms, workers
from annotation.crowd import consent, proofs, speaking
from annotation.crowd.cookies import current_worker, remember
from annotation.crowd.left import pages_done
from annotation.crowd.views import proving
from annotation.crowd.views.entry import message
from annotation.models import Study, Worker


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, study_id: UUID) -> HttpResponse:
    study = speaking.study_of(study_id)
    worker = current_worker(request, study)
    if worker is None:
        return redirect(study.get_worker_url())
    if worker.state == Worker.State.WITHDRAWN:
        return redirect("worker:done", study.public_id)
    if hasattr(request, "frame"):
        return in_frame(request, study, worker)
    # Cannot be undone, and others may fill the places: so an id alone is not enough.
    if pages_done(worker) and not proofs.is_shown(request, worker):
        return proving.ask(request, study)
    if request.method == "POST":
        workers.withdraw(worker=worker, now=timezone.now())
        worker.refresh_from_db()
        # Under the new name this browser, and it alone, still finds the code.
        remember(request, study, worker.external_id)
        return redirect("worker:done", study.public_id)
    context = {
        "study": study,
        "platform": platforms.of(study),
        "pages_done": pages_done(worker),
        "contact": consent.contact(study),
    }
    return render(request, "annotation/crowd/withdraw.html", context)


def in_frame(request: HttpRequest, study: Study, worker: Worker) -> HttpResponse:
    """Who to write to. Deletes nothing.

    On Mechanical Turk the address names the worker: under another name they could no
    longer submit the HIT, and would not be paid.
    """
    then = gettext(
        "Then write to %(contact)s and give your personal code, %(code)s. We will"
        " delete all your answers."
    )
    return message(
        request,
        gettext("Take your answers back"),
        gettext("Submit your work first, so that you are paid."),
        then % {"contact": consent.contact(study), "code": worker.personal_code},
        study=study,
    )
