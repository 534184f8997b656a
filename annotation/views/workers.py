from __future__ import annotations

from django.db.models import Avg, DurationField, ExpressionWrapper, F, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.exports import pseudonym
from annotation.models import Seat, Worker
from annotation.views.access import get_study_for, page_of
from annotation.views.surveys import minutes_of, seats_in

State = Seat.State


@require_GET
def study_workers(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    page = page_of(request, _with_work(study.workers.all()).order_by("pk"))
    for worker in page.object_list:
        worker.pseudonym = pseudonym(study, worker.pk)
        worker.minutes = minutes_of(worker.spent)
        worker.minutes_per_page = minutes_of(worker.spent_per_page)
    context = {"study": study, "tab": "workers", "part": "workers", "page": page}
    return render(request, "annotation/workers.html", context)


def _with_work(workers: QuerySet[Worker]) -> QuerySet[Worker]:
    """Add pages by fate and the time from claim to submission. One query."""
    spent = ExpressionWrapper(
        F("seats__submitted_at") - F("seats__claimed_at"), output_field=DurationField()
    )
    return workers.annotate(
        submitted=seats_in(*Seat.FINISHED),
        valid=seats_in(State.VALID),
        discarded=seats_in(State.DISCARDED),
        surplus=seats_in(State.SURPLUS),
        expired=seats_in(State.EXPIRED),
        spent=Sum(spent),
        spent_per_page=Avg(spent),
    )
