"""The crowdworker's pages: link -> consent -> page of texts -> ... -> thank you.

Workers have no account: a signed cookie remembers who they said they are, for each
study apart. No GET writes anything; a POST claims, saves or submits.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import wraps
from typing import Any, Protocol
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import answering, assigning, platforms, worker_forms
from annotation.models import Seat, Study, Worker
from annotation.worker_forms import ConsentForm

# A cookie holds 4 kB: only the studies visited last are remembered.
MAX_STUDIES_REMEMBERED = 12


# Who is it? ---------------------------------------------------------------------------


def remembered_id(request: HttpRequest, study: Study) -> str | None:
    return request.session.get("workers", {}).get(study.public_id.hex)


def remember(request: HttpRequest, study: Study, external_id: str) -> None:
    others = dict(request.session.get("workers", {}))
    others.pop(study.public_id.hex, None)
    kept = list(others.items())[1 - MAX_STUDIES_REMEMBERED :]
    request.session["workers"] = dict([*kept, (study.public_id.hex, external_id)])


def current_worker(request: HttpRequest, study: Study) -> Worker | None:
    external_id = remembered_id(request, study)
    known = study.workers.filter(platform=study.platform, external_id=external_id)
    return known.first()


def enrol(study: Study, external_id: str, words: str, now: datetime) -> Worker:
    """The worker with this id, now agreeing to these words. Safe to call twice."""
    worker, _ = study.workers.update_or_create(
        platform=study.platform,
        external_id=external_id,
        defaults={"consent": words, "consented_at": now},
    )
    return worker


def has_agreed(worker: Worker | None, study: Study) -> bool:
    return worker is not None and worker.consent == worker_forms.consent_words(study)


class SeatView(Protocol):
    def __call__(self, request: HttpRequest, seat: Seat) -> HttpResponse: ...


def with_own_seat(view: SeatView):
    """Hand the view the worker's own seat; others' do not exist for them."""

    @wraps(view)
    def found(request: HttpRequest, seat_id: UUID) -> HttpResponse:
        seats = Seat.objects.select_related(
            "survey__study", "survey__prompt__label", "worker__study"
        )
        seat = get_object_or_404(seats, public_id=seat_id)
        external_id = remembered_id(request, seat.survey.study)
        if external_id is None:
            kept = "Answers that you have already given are kept."
            return stranger(request, seat.survey.study, kept)
        if seat.worker.external_id != external_id:
            raise Http404
        return view(request, seat)

    return found


# What is there to do? -----------------------------------------------------------------


def pages_done(worker: Worker | None) -> int:
    return worker.seats.filter(state__in=Seat.FINISHED).count() if worker else 0


def unfinished(worker: Worker | None) -> Seat | None:
    return worker.seats.filter(state=Seat.State.CLAIMED).first() if worker else None


def is_more_left(worker: Worker, now: datetime, besides: Seat | None = None) -> bool:
    """Whether the worker could get another page now."""
    if worker.study.state != Study.State.OPEN:
        return False
    places = assigning.open_places(worker, now)
    return places.exclude(survey=besides and besides.survey_id).exists()


# Pages that explain -------------------------------------------------------------------


def message(
    request: HttpRequest, heading: str, *lines: str, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"heading": heading, "lines": lines, **more}
    return render(request, "worker/message.html", context, status=status)


def stranger(request: HttpRequest, study: Study, *lines: str) -> HttpResponse:
    """For a browser that we do not know, or that does not keep our cookie."""
    platform = platforms.of(study)
    return message(
        request,
        "We cannot tell who you are",
        platform.how_to_arrive if platform else "",
        *lines,
        study=study,
        status=403,
    )


NOT_OPEN = {
    Study.State.DRAFT: (
        "This study has not started yet",
        "Nothing is wrong with your link. Please try it again later.",
    ),
    Study.State.PAUSED: (
        "This study is paused",
        "Everything that you have done is kept. Please try the same link again later.",
    ),
    Study.State.CLOSED: (
        "This study is closed",
        "No more ratings are needed. Everything that you have done is kept.",
    ),
}


def not_open(request: HttpRequest, study: Study) -> HttpResponse:
    heading, line = NOT_OPEN[Study.State(study.state)]
    worker = current_worker(request, study)
    begun = {"seat": unfinished(worker), "has_code": pages_done(worker) > 0}
    return message(request, heading, line, study=study, **begun)


# Pages --------------------------------------------------------------------------------


@login_not_required
@never_cache
@require_safe
def welcome(request: HttpRequest, study_id: UUID) -> HttpResponse:
    study = get_object_or_404(Study, public_id=study_id)
    platform = platforms.of(study)
    if platform is None:
        line = f"Please write to {worker_forms.contact(study)}."
        return message(request, "This study cannot be opened here", line, study=study)
    try:
        arrived = platform.worker_id(request.GET)
    except platforms.BadWorkerId:
        heading, line = "Your link is not complete", platform.how_to_arrive
        return message(request, heading, line, study=study, status=400)
    if arrived is not None:
        remember(request, study, arrived)
        return redirect(study.get_worker_url())  # without the id in the address
    if study.state != Study.State.OPEN:
        return not_open(request, study)
    if remembered_id(request, study) is None:
        if platform.new_id is None:
            return stranger(request, study)
        remember(request, study, platform.new_id())
    return welcome_page(request, study)


def welcome_page(
    request: HttpRequest, study: Study, form: ConsentForm | None = None
) -> HttpResponse:
    """Instructions, and words to agree to where the worker has not yet."""
    worker, now = current_worker(request, study), timezone.now()
    if worker is None or not has_agreed(worker, study):
        form = form or ConsentForm(study)
    elif not unfinished(worker) and not is_more_left(worker, now):
        return redirect("worker:done", study.public_id)
    context = {
        "study": study,
        "aspects": study.aspects.all(),
        "form": form,
        "unfinished": unfinished(worker),
        "pages_done": pages_done(worker),
    }
    status = 400 if form and form.is_bound else 200
    return render(request, "worker/welcome.html", context, status=status)


@login_not_required
@never_cache
@require_POST
def start(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """Claim a page, once the words are agreed to."""
    study = get_object_or_404(Study, public_id=study_id)
    external_id = remembered_id(request, study)
    if study.state != Study.State.OPEN or external_id is None:
        return redirect(study.get_worker_url())  # which says why
    worker, now = current_worker(request, study), timezone.now()
    if worker is None or not has_agreed(worker, study):
        form = ConsentForm(study, request.POST)
        if not form.is_valid():
            return welcome_page(request, study, form)
        worker = enrol(study, external_id, form.words, now)
    return next_page(worker, now)


def next_page(worker: Worker, now: datetime) -> HttpResponse:
    seat = assigning.claim(worker=worker, now=now)
    if seat is None:
        return redirect("worker:done", worker.study.public_id)
    return redirect(seat)


@login_not_required
@never_cache
@require_safe
@with_own_seat
def seat(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The rating page. Shown with a lapsed lease too: the next answer renews it."""
    study = seat.survey.study
    if seat.state in Seat.FINISHED:
        return redirect("worker:done", study.public_id)
    cards = worker_forms.cards(seat, answering.saved(seat))
    missing = worker_forms.missing(cards)
    context = {
        "study": study,
        "seat": seat,
        "prompt": seat.survey.prompt,
        "aspects": study.aspects.all(),
        "cards": cards,
        "n_questions": sum(len(card.rows) for card in cards),
        # Named one by one only to those who tried to submit.
        "missing": missing if "check" in request.GET else [],
        "number": pages_done(seat.worker) + 1,
        "more_left": is_more_left(seat.worker, timezone.now(), besides=seat),
        "contact": worker_forms.contact(study),
    }
    return render(request, "worker/seat.html", context)


@login_not_required
@never_cache
@require_POST
@with_own_seat
def answer(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Save one answer as soon as it is given. Says with its status how that went."""
    given = worker_forms.given(seat, request.POST)
    if not given:
        return HttpResponse("no answer on this page", status=400)
    try:
        save_all(seat, given)
    except answering.AlreadySubmitted:
        return HttpResponse("this page was submitted", status=409)
    return HttpResponse(status=204)


def save_all(seat: Seat, answers: worker_forms.Answers) -> None:
    now = timezone.now()
    for (position, aspect), value in answers.items():
        answering.save(
            seat=seat, position=position, aspect=aspect, value=value, now=now
        )


@login_not_required
@never_cache
@require_POST
@with_own_seat
def keep(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Save what the form holds and let the worker go."""
    with suppress(answering.AlreadySubmitted):
        save_all(seat, worker_forms.given(seat, request.POST))
    return redirect("worker:leave", seat.survey.study.public_id)


@login_not_required
@never_cache
@require_POST
@with_own_seat
def submit(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Hand the page in. A second time changes nothing and leads to the same place."""
    now = timezone.now()
    try:
        given = worker_forms.given(seat, request.POST)
        answering.submit(seat=seat, answers=given, now=now)
    except answering.Missing:
        # What came is saved. To a fresh page, which a reload does not send again.
        return redirect(f"{seat.get_absolute_url()}?check#missing")
    if request.POST.get("then") == "stop":
        return redirect("worker:done", seat.survey.study.public_id)
    return next_page(seat.worker, now)


@login_not_required
@never_cache
@require_safe
def leave(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """How to come back."""
    study = get_object_or_404(Study, public_id=study_id)
    worker, platform = current_worker(request, study), platforms.of(study)
    if worker is None or platform is None:
        return redirect(study.get_worker_url())
    query = urlencode({platform.parameter: worker.external_id})
    link = request.build_absolute_uri(f"{study.get_worker_url()}?{query}")
    context = {
        "study": study,
        "platform": platform,
        "unfinished": unfinished(worker),
        "pages_done": pages_done(worker),
        # Elsewhere the platform's own page knows who they are.
        "resume_link": link if platform.new_id else None,
    }
    return render(request, "worker/leave.html", context)


@login_not_required
@never_cache
@require_safe
def done(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """Thank you, and the code for everybody who has handed in a page."""
    study = get_object_or_404(Study, public_id=study_id)
    worker, platform = current_worker(request, study), platforms.of(study)
    if worker is None or platform is None:
        return redirect(study.get_worker_url())
    context = {
        "study": study,
        "platform": platform,
        "home": platform.home and platform.home(study.completion_code),
        "unfinished": unfinished(worker),
        "pages_done": pages_done(worker),
        "contact": worker_forms.contact(study),
        "personal_code": worker.personal_code,
    }
    return render(request, "worker/done.html", context)
