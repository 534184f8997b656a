from __future__ import annotations

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for, page_of
from annotation.models import Item, PageKind, Pair, Seat, Survey
from annotation.watching import rated_pairs
from annotation.watching.seats import seats_in, told

State = Seat.State


@require_safe
def study_surveys(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = {
        "study": study,
        "tab": "texts",
        "page": page_of(request, study.surveys.order_by("number"), dress=_counted),
        "of_pairs": PageKind.PAIR,
    }
    return render(request, "annotation/views/surveys.html", context)


def _counted(rows: QuerySet[Survey]) -> QuerySet[Survey]:
    """Add pairs, and seats by fate. Still one query."""
    return rows.select_related("prompt__label", "negative").annotate(
        n_pairs=_n_pairs(),
        valid=seats_in(State.VALID),
        waiting=seats_in(State.CLAIMED),
        discarded=seats_in(State.DISCARDED),
    )


# Of dialogues turn by turn; other texts by their system.
ORDER = ("dialogue", "turn", "system__name")


@require_safe
def study_survey(request: HttpRequest, name: str, number: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    rows = study.surveys.select_related("prompt__label", "negative__source__system")
    survey = get_object_or_404(rows, number=number)
    items = survey.items.select_related(
        *("generation__system", "generation__dialogue", "negative__source__system"),
        *("pair__prompt__label", "pair__first__system", "pair__second__system"),
    )
    items = items.filter(decoy=None)
    of_pairs = survey.kind == PageKind.PAIR
    context = {
        "study": study,
        "tab": "texts",
        "survey": survey,
        "items": []
        if of_pairs
        else items.order_by(
            *(F(f"generation__{of}").asc(nulls_last=True) for of in ORDER)
        ),
        "pairs": _pairs(items) if of_pairs else [],
        "seats": told(study, survey.seats.select_related("place", "worker")),
        **_neighbours(rows, number),
    }
    return render(request, "annotation/views/survey.html", context)


def _n_pairs() -> Subquery:
    """How many pairs of a page are to be compared; a damaged twin is none."""
    real = Pair.objects.filter(survey=OuterRef("pk"), second__isnull=False).order_by()
    return Subquery(real.values("survey").annotate(n=Count("pk")).values("n"))


def _pairs(
    items: QuerySet[Item],
) -> list[tuple[Item, tuple[rated_pairs.Side, rated_pairs.Side]]]:
    """With their texts in the order in which they are stored."""
    return [(one, rated_pairs.sides(one, flipped=False)) for one in items]


def _neighbours(rows: QuerySet[Survey], number: int) -> dict[str, int | None]:
    """The numbers of the surveys before and after this one."""
    numbers = rows.order_by("number").values_list("number", flat=True)
    return {
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }
