from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import kept, page_kinds
from annotation.access import get_study_for
from annotation.models import Study
from annotation.models.surveys import pseudonym
from annotation.watching import attention, dismissing, monitor, stopping, summary
from annotation.watching.dismissing import DismissalError


@require_safe
def study_monitor(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {
        **_now(study),
        "tab": "workers",
        "damages": kept.read(study=study, name="damages"),
        "trusted_pages": monitor.TRUSTED_PAGES,
        "attention": attention.read(study=study),
        "stopping": stopping.read(
            study=study,
            aspect=request.GET.get("aspect", ""),
            pair=request.GET.get("pair", ""),
        ),
    }
    return render(request, "annotation/watching/monitor.html", context)


@require_safe
def study_monitor_now(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the monitor that an open study refreshes."""
    study = get_study_for(request.user, name)
    return render(request, "annotation/watching/_monitor.html", _now(study))


@require_POST
def attention_dismiss(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    try:
        subject = dismissing.dismiss(
            study=study,
            entry=request.POST.get("entry", ""),
            reason=request.POST.get("reason", ""),
            user=request.user,
            now=timezone.now(),
        )
    except DismissalError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{subject.name} is off the list.")
    return redirect("study_monitor", study.name)


@require_POST
def attention_bring_back(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    entry = request.POST.get("entry", "")
    try:
        subject = dismissing.bring_back(
            study=study, entry=entry, user=request.user, now=timezone.now()
        )
    except DismissalError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{subject.name} is on the list again.")
    return redirect("study_monitor", study.name)


def _now(study: Study) -> dict:
    sittings = monitor.sittings(study=study, now=timezone.now())
    for sitting in sittings:
        sitting.seat.pseudonym = pseudonym(study, sitting.seat.worker_id)
    counted = kept.read(study=study, name="filled")
    filled = counted.value or []
    most = [max(counts) for counts in zip(*(row.units for row in filled), strict=True)]
    return {
        "study": study,
        "filled": filled,
        "counted": counted,
        "scores": page_kinds.scores_of(study),
        "bars": [(row, list(zip(row.units, most, strict=True))) for row in filled],
        "sittings": sittings,
        "most_seats": monitor.MOST_SEATS,
        "discards": summary.discards(study=study),
    }
