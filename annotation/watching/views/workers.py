from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.db.models import Case, QuerySet, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import kept, workers
from annotation.access import get_study_for, page_of
from annotation.models import Seat, Study, Worker
from annotation.models.surveys import pseudonym
from annotation.seats import writing
from annotation.watching import attention, raters
from annotation.watching.attention import Attention
from annotation.watching.findings import Severity
from annotation.watching.seats import seats_in, told

State = Seat.State


@require_safe
def study_workers(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    looked = attention.read(study=study)
    rows = study.workers.order_by(*_worst_first(looked), "pk")
    page = page_of(request, rows, dress=_with_work)
    shown = list(page.object_list)
    ids = " ".join(str(pk) for pk in sorted(worker.pk for worker in shown))
    found = kept.read(study=study, name="raters", variant=ids)
    for worker in page.object_list:
        worker.pseudonym = pseudonym(study, worker.pk)
        worker.rater = (found.value or {}).get(worker.pk)
        worker.subject = looked.of(worker)
    context = {
        "study": study,
        "tab": "workers",
        "page": page,
        "raters": found,
        "attention": looked,
        "n_surveys": study.surveys.count(),
    }
    return render(request, "annotation/watching/workers.html", context)


def _with_work(workers: QuerySet[Worker]) -> QuerySet[Worker]:
    """Add pages by fate. Still one query."""
    return workers.annotate(
        submitted=seats_in(*Seat.FINISHED),
        valid=seats_in(State.VALID),
        discarded=seats_in(State.DISCARDED),
        surplus=seats_in(State.SURPLUS),
    )


def _worst_first(looked: Attention) -> list[Case]:
    """What sorts workers by how urgently they need attention, the others last.

    Nothing where nobody does: a bare number is read as the place of a column.
    """
    workers: dict[Severity, list[UUID]] = defaultdict(list)
    for one in looked.subjects:
        if one.worker is not None:  # else it is a text
            workers[one.severity].append(one.worker)
    by_severity = [
        When(public_id__in=some, then=-int(severity))
        for severity, some in workers.items()
    ]
    return [Case(*by_severity, default=0)] if by_severity else []


@require_safe
def study_worker(request: HttpRequest, name: str, worker: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    one = _named(_with_work(study.workers.all()), study, worker)
    one.pseudonym = worker
    one.rater = raters.raters(study=study, workers=[one])[one.pk]
    seats = one.seats.select_related("survey", "place").order_by("survey__number")
    pages = told(study, seats)
    context = {
        "study": study,
        "tab": "workers",
        "worker": one,
        "subject": attention.read(study=study).of(one),
        "seats": pages,
        "writing": writing.total(pages),
    }
    return render(request, "annotation/watching/worker.html", context)


@require_POST
def worker_exclude(request: HttpRequest, name: str, worker: str) -> HttpResponse:
    def exclude(worker: Worker) -> str:
        reason = request.POST.get("reason", "")
        n = workers.exclude(
            worker=worker, reason=reason, user=request.user, now=timezone.now()
        )
        return f"The worker is excluded, {_pages(n)} discarded."

    return _do(request, get_study_for(request.user, name), worker, exclude)


@require_POST
def worker_include(request: HttpRequest, name: str, worker: str) -> HttpResponse:
    def include(worker: Worker) -> str:
        n = workers.include(worker=worker, user=request.user, now=timezone.now())
        return f"The worker is included again, {_pages(n)} valid again."

    return _do(request, get_study_for(request.user, name), worker, include)


@require_POST
def worker_unblock(request: HttpRequest, name: str, worker: str) -> HttpResponse:
    def unblock(worker: Worker) -> str:
        workers.unblock(worker=worker, user=request.user, now=timezone.now())
        return "The worker gets pages again."

    return _do(request, get_study_for(request.user, name), worker, unblock)


def _do(
    request: HttpRequest, study: Study, worker: str, verb: Callable[[Worker], str]
) -> HttpResponse:
    one = _named(study.workers.all(), study, worker)
    try:
        messages.success(request, verb(one))
    except workers.WorkerError as error:
        messages.error(request, str(error))
    return redirect("study_worker", study.name, worker)


def _named(workers_of_study: QuerySet[Worker], study: Study, name: str) -> Worker:
    """Researchers' addresses have pseudonyms: a `public_id` is the worker's own."""
    pk = workers.with_pseudonym(study=study, name=name)
    return get_object_or_404(workers_of_study, pk=pk)


@require_POST
def seat_free(request: HttpRequest, name: str, seat_id: UUID) -> HttpResponse:
    study = get_study_for(request.user, name)
    seats = Seat.objects.select_related("survey", "worker")
    seat = get_object_or_404(seats, public_id=seat_id, survey__study=study)
    try:
        workers.free_seat(seat=seat, user=request.user, now=timezone.now())
    except workers.WorkerError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The place is open for others.")
    # A word, no address: redirect() takes some texts for names of pages, and fails.
    if request.POST.get("back") == "monitor":
        return redirect("study_monitor", study.name)
    return redirect("study_worker", study.name, pseudonym(study, seat.worker_id))


def _pages(n: int) -> str:
    return "1 page is" if n == 1 else f"{n} pages are"
