from __future__ import annotations

from django.db.models import (
    F,
    QuerySet,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for, page_of
from annotation.models import Seat, Survey
from annotation.watching.seats import seats_in, told

State = Seat.State


@require_safe
def study_surveys(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = (
        study.surveys.select_related("prompt__label", "negative")
        .annotate(
            valid=seats_in(State.VALID),
            waiting=seats_in(State.CLAIMED),
            discarded=seats_in(State.DISCARDED),
        )
        .order_by("number")
    )
    context = {"study": study, "tab": "texts", "page": page_of(request, rows)}
    return render(request, "annotation/views/surveys.html", context)


@require_safe
def study_survey(request: HttpRequest, name: str, number: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = study.surveys.select_related("prompt__label", "negative__source__system")
    survey = get_object_or_404(rows, number=number)
    items = survey.items.select_related("generation__system", "negative")
    context = {
        "study": study,
        "tab": "texts",
        "survey": survey,
        "items": items.order_by(F("generation__system__name").asc(nulls_last=True)),
        "seats": told(study, survey.seats.select_related("place", "worker")),
        **_neighbours(rows, number),
    }
    return render(request, "annotation/views/survey.html", context)


def _neighbours(rows: QuerySet[Survey], number: int) -> dict[str, int | None]:
    """The numbers of the surveys before and after this one."""
    numbers = rows.order_by("number").values_list("number", flat=True)
    return {
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }
