from __future__ import annotations

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation import page_kinds
from annotation.access import get_study_for, page_of
from annotation.models import Item, Seat, Survey
from annotation.watching.seats import seats_in, told

State = Seat.State


@require_safe
def study_surveys(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {
        "study": study,
        "tab": "texts",
        "kinds": page_kinds.of(study),
        "page": page_of(request, study.surveys.order_by("number"), dress=_counted),
    }
    return render(request, "annotation/views/surveys.html", context)


def _counted(rows: QuerySet[Survey]) -> QuerySet[Survey]:
    """Add what is judged, and seats by fate. Still one query."""
    return rows.select_related("prompt__label", "negative").annotate(
        n_real=_n_real(),
        valid=seats_in(State.VALID),
        waiting=seats_in(State.CLAIMED),
        discarded=seats_in(State.DISCARDED),
    )


@require_safe
def study_survey(request: HttpRequest, name: str, number: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = study.surveys.select_related("prompt__label", "negative__source__system")
    survey = get_object_or_404(rows, number=number)
    listing = page_kinds.get(survey.kind).listing
    context = {
        "study": study,
        "tab": "texts",
        "survey": survey,
        "listing": listing,
        **listing.context(survey),
        "seats": told(study, survey.seats.select_related("place", "worker")),
        **_neighbours(rows, number),
    }
    return render(request, "annotation/views/survey.html", context)


def _n_real() -> Subquery:
    """How many texts or pairs of a page are asked about, the damaged one aside."""
    real = Item.objects.filter(survey=OuterRef("pk"), negative=None).order_by()
    return Subquery(real.values("survey").annotate(n=Count("pk")).values("n"))


def _neighbours(rows: QuerySet[Survey], number: int) -> dict[str, int | None]:
    """The numbers of the surveys before and after this one."""
    numbers = rows.order_by("number").values_list("number", flat=True)
    return {
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }
