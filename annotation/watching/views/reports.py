from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, page_of
from annotation.models import Item, Study
from annotation.models.surveys import pseudonym
from annotation.watching import reports, reviewing

TEXTS_PER_PAGE = 25


@require_safe
def study_reports(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    page = page_of(request, reports.queue(study=study), TEXTS_PER_PAGE)
    for text in page.object_list:
        for report in text.reports:
            report.pseudonym = pseudonym(study, report.seat.worker_id)
    context = {"study": study, "tab": "workers", "page": page}
    return render(request, "annotation/watching/reports.html", context)


@require_POST
def report_keep(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    def keep(item: Item, words: str) -> str:
        reports.keep(item=item, note=words, user=request.user, now=timezone.now())
        if len(reports.texts_of(item)) > 1:
            return f"{reports.name_of(item)} stay. The answers on them count."
        return f"{reports.name_of(item)} stays. Its ratings count."

    return _resolve(request, get_study_for(request.user, name), pk, keep)


@require_POST
def report_exclude(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    def exclude(item: Item, words: str) -> str:
        text = reports.exclude(
            item=item,
            key=request.POST.get("key", ""),
            reason=words,
            user=request.user,
            now=timezone.now(),
        )
        return f"{text.key} is excluded: statistics leave it out."

    return _resolve(request, get_study_for(request.user, name), pk, exclude)


def _resolve(
    request: HttpRequest, study: Study, pk: int, verb: Callable[[Item, str], str]
) -> HttpResponse:
    items = Item.objects.filter(reports__isnull=False).distinct()
    rows = items.select_related(
        *("generation", "negative", "decoy", "survey__study"),
        *("pair__first", "pair__second"),
    )
    item = get_object_or_404(rows, pk=pk, survey__study=study)
    try:
        done = verb(item, request.POST.get("words", ""))
    except reviewing.ReviewError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{done[0].upper()}{done[1:]}")
    return redirect("study_reports", study.name)
