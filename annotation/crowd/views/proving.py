"""Asking for the personal code, where someone comes by an id that others know."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation import platforms
from annotation.crowd import consent, invites, proofs, speaking
from annotation.crowd.cookies import current_worker, remembered_id
from annotation.models import Study

WRONG = gettext_lazy("This code is not right. Check it and try again.")
TOO_OFTEN = gettext_lazy("Too many tries. Wait a minute and try again.")


def proven(view: Callable[[HttpRequest, UUID], HttpResponse]):
    """Decorate a worker's page: ask for the personal code unless there is proof."""

    @wraps(view)
    def asked(request: HttpRequest, study_id: UUID) -> HttpResponse:
        study = speaking.study_of(study_id)
        worker = current_worker(request, study)
        if worker and not proofs.may_go_on(request, worker):
            return ask(request, study)
        return view(request, study_id)

    return asked


def ask(
    request: HttpRequest, study: Study, problem: str | Promise = "", status: int = 403
) -> HttpResponse:
    """The page in place of the one asked for; the code leads back to that."""
    context = {
        "study": study,
        "platform": platforms.of(study),
        "contact": consent.contact(study),
        "is_invited": invites.is_invited(remembered_id(request, study) or ""),
        "problem": problem,
        "back": request.POST.get("back", request.path),
    }
    return render(request, "annotation/crowd/prove.html", context, status=status)


@login_not_required
@never_cache
@require_POST
def prove(request: HttpRequest, study_id: UUID) -> HttpResponse:
    study = speaking.study_of(study_id)
    worker, code = current_worker(request, study), request.POST.get("code", "")
    if worker is None:
        return redirect(study.get_worker_url())
    if not proofs.give_code(request, study, worker.external_id, code):
        return ask(request, study, TOO_OFTEN, status=429)
    if not proofs.is_shown(request, worker):
        return ask(request, study, WRONG)
    back, home = request.POST.get("back", ""), study.get_worker_url()
    withdraws = back == f"{home}withdraw/"
    return redirect(back if withdraws else home)
