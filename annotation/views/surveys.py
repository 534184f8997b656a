from __future__ import annotations

from datetime import timedelta

from django.db.models import (
    Count,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotation.exports import pseudonym
from annotation.models import Seat, Study, Survey, Verdict
from annotation.views.access import get_study_for, page_of

State = Seat.State


@require_GET
def study_surveys(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = (
        study.surveys.select_related("prompt__label", "negative")
        .annotate(
            valid=seats_in(State.VALID),
            waiting=seats_in(State.CLAIMED, State.SUBMITTED),
            discarded=seats_in(State.DISCARDED),
        )
        .order_by("number")
    )
    context = {"study": study, "tab": "surveys", "page": page_of(request, rows)}
    return render(request, "annotation/surveys.html", context)


def seats_in(*states: str) -> Count:
    return Count("seats", filter=Q(seats__state__in=states))


@require_GET
def study_survey(request: HttpRequest, name: str, number: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = study.surveys.select_related("prompt__label", "negative__source__system")
    survey = get_object_or_404(rows, number=number)
    items = survey.items.select_related("generation__system", "negative")
    context = {
        "study": study,
        "tab": "surveys",
        "survey": survey,
        "items": items.order_by(F("generation__system__name").asc(nulls_last=True)),
        "seats": told(study, survey.seats.select_related("place", "worker")),
        **_neighbours(rows, number),
    }
    return render(request, "annotation/survey.html", context)


def _neighbours(rows: QuerySet[Survey], number: int) -> dict[str, int | None]:
    """The numbers of the surveys before and after this one."""
    numbers = rows.order_by("number").values_list("number", flat=True)
    return {
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }


def told(study: Study, seats: QuerySet[Seat]) -> list[Seat]:
    """The seats with the newest reason, the worker's code and the minutes spent."""
    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    found = list(seats.annotate(reason=Subquery(newest.values("reason")[:1])))
    for seat in found:
        seat.pseudonym = pseudonym(study, seat.worker_id)
        seat.minutes = minutes_of(_spent(seat))
    return found


def _spent(seat: Seat) -> timedelta | None:
    return seat.submitted_at - seat.claimed_at if seat.submitted_at else None


def minutes_of(time: timedelta | None) -> float | None:
    return None if time is None else time.total_seconds() / 60
