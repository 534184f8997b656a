"""The rating page: one seat, its texts and questions. No GET writes anything.

A POST saves one answer, reports a text, keeps the place or hands the page in; each
takes along whatever else the form holds, so that nothing is lost on the way.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import wraps
from typing import Protocol
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import answering, page_kinds
from annotation.crowd import consent, link_claims, proofs, sources, speaking
from annotation.crowd.cookies import remembered_id
from annotation.crowd.forms import inserts, pages
from annotation.crowd.forms.pages import Posted
from annotation.crowd.left import MANY_PAGES, Own, about_left
from annotation.crowd.views import proving
from annotation.crowd.views.entry import next_page, stop_here, stranger
from annotation.models import Seat, Study
from annotation.page_kinds.content import Page
from annotation.seats import aspects, writing
from annotation.surveys import estimating
from annotation.watching import reports
from evalapp.statements import Statement


class SeatView(Protocol):
    def __call__(self, request: HttpRequest, seat: Seat) -> HttpResponse: ...


def _seats(public_id: UUID) -> QuerySet[Seat]:
    seats = Seat.objects.filter(public_id=public_id)
    return seats.select_related("survey__study", "worker")


_NAME = Seat._meta.get_field("public_id")
_SEAT = Statement(_seats, _NAME)
_SEAT_WITH_PROMPT = Statement(
    lambda public_id: _seats(public_id).select_related("survey__prompt__label"), _NAME
)


def seat_of(public_id: UUID, *, with_prompt: bool) -> Seat:
    """With survey, study and worker; the page itself shows the prompt, too.

    Raises:
        Http404: There is no such seat.
    """
    try:
        return (_SEAT_WITH_PROMPT if with_prompt else _SEAT).get(public_id)
    except Seat.DoesNotExist:
        raise Http404 from None


def with_own_seat(view: SeatView):
    """Hand the view the worker's own seat; others' do not exist for them."""

    @wraps(view)
    def found(request: HttpRequest, seat_id: UUID) -> HttpResponse:
        seat = seat_of(seat_id, with_prompt=request.method == "GET")
        study = seat.survey.study
        speaking.speak(study)
        seat.worker.study = study
        external_id = remembered_id(request, study)
        if external_id is None:
            kept = gettext("All your answers are saved.")
            return stranger(request, study, kept)
        if seat.worker.external_id != external_id:
            raise Http404
        may = proofs.take_link if request.method == "POST" else proofs.may_go_on
        if not may(request, seat.worker):
            return proving.ask(request, study)
        return view(request, seat)

    return found


def is_over(seat: Seat) -> bool:
    """Whether the page takes no more answers."""
    return seat.state in Seat.FINISHED or not seat.worker.takes_part


@login_not_required
@never_cache
@require_safe
@with_own_seat
def seat(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The rating page. Shown with a lapsed lease too: the next answer renews it."""
    study = seat.survey.study
    if is_over(seat):
        return redirect("worker:done", study.public_id)
    content = page_kinds.get(seat.survey.kind).content
    page = content.page(seat, request.GET.get("unsaid", ""))
    own = Own.of(seat.worker)
    left = about_left(study, own, timezone.now(), besides=seat)
    asked = aspects.of_study(study)
    context = {
        "study": study,
        "seat": seat,
        "content": content,
        "prompt": page.prompt,
        "aspects": asked,
        "keys": content.keys(asked),
        "cards": page.cards,
        "n_questions": len(page.questions),
        # Named one by one only to those who tried to submit.
        "missing": tuple(page.missing) if "check" in request.GET else (),
        "place": content.place("{letter}", "{question}"),
        "times": pages.times(seat),
        "writing": writing.shown(seat),
        "insert": inserts.sentence(seat),
        "number": own.done + 1,
        "total": own.done + 1 + left if left < MANY_PAGES else None,
        "more_left": left > 0,
        "minutes": minutes_of(study, page),
        "contact": consent.contact(study),
    }
    return render(request, "annotation/crowd/seat.html", context)


def minutes_of(study: Study, page: Page) -> int:
    """What the researcher says, else by the length of these very texts."""
    return study.minutes_per_page or estimating.minutes(
        characters=page.characters, answers=page.n_answers, language=study.language
    )


@login_not_required
@never_cache
@require_POST
@with_own_seat
def answer(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Save what was answered since. Says with its status how that went."""
    posted = pages.posted(seat, request.POST)
    if posted.is_empty:
        return HttpResponse("no answer on this page", status=400)
    try:
        save(request, seat, posted, timezone.now())
    except answering.AlreadySubmitted:
        return HttpResponse("this page no longer accepts answers", status=409)
    except answering.BadAnswer:
        return HttpResponse("a text is too long", status=400)
    return HttpResponse(status=204)


def save(request: HttpRequest, seat: Seat, posted: Posted, now: datetime) -> None:
    if is_over(seat):
        raise answering.AlreadySubmitted(posted.answers)
    answering.save_all(
        seat=seat,
        answers=posted.answers,
        now=now,
        comment=posted.comment,
        visible=posted.visible,
        writing=posted.writing,
        source=source_of(request, seat),
    )


def source_of(request: HttpRequest, seat: Seat) -> str:
    return sources.of(request, seat.worker.study, seat.worker.external_id)


def save_reports(seat: Seat, posted: Posted, now: datetime) -> None:
    for position, reason in posted.reports.items():
        reports.report(seat=seat, position=position, reason=reason, now=now)


@login_not_required
@never_cache
@require_POST
@with_own_seat
def report(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Put a text before the researchers, and come back to it."""
    now, posted = timezone.now(), pages.posted(seat, request.POST)
    with suppress(answering.BadAnswer):  # what was saved before stays
        save(request, seat, posted, now)
    save_reports(seat, posted, now)
    about = request.POST.get("about", "")
    content = page_kinds.get(seat.survey.kind).content
    if about not in map(str, range(1, len(seat.order) + 1)):
        back = content.back_to(seat, about, request.POST)
        return redirect(f"{seat.get_absolute_url()}{back.query}")
    letter = content.letters(seat)[int(about) - 1]
    if int(about) in posted.reports:
        return redirect(f"{seat.get_absolute_url()}#reported-{letter}")
    # The empty field takes the focus, which no fragment may take before.
    return redirect(f"{seat.get_absolute_url()}?unsaid={letter}")


@login_not_required
@never_cache
@require_POST
@with_own_seat
def keep(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Save what the form holds and let the worker go."""
    now, posted = timezone.now(), pages.posted(seat, request.POST)
    with suppress(answering.BadAnswer):  # what was saved before stays
        save(request, seat, posted, now)
    save_reports(seat, posted, now)
    return redirect("worker:leave", seat.survey.study.public_id)


@login_not_required
@never_cache
@require_POST
@with_own_seat
def submit(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Hand the page in. A second time changes nothing and leads to the same place."""
    now, posted = timezone.now(), pages.posted(seat, request.POST)
    study = seat.survey.study
    save_reports(seat, posted, now)
    if not seat.worker.takes_part:
        return redirect("worker:done", study.public_id)
    try:
        answering.submit(
            seat=seat,
            answers=posted.answers,
            now=now,
            comment=posted.comment,
            visible=posted.visible,
            writing=posted.writing,
            source=source_of(request, seat),
        )
    except (answering.Missing, answering.BadAnswer):
        # What came is saved, but for a text beyond the size of its field. To a fresh
        # page, which a reload does not send again.
        return redirect(f"{seat.get_absolute_url()}?check#missing")
    link_claims.keep(request, seat.worker)  # of the worker who did the work
    proofs.learn(request, seat.worker)
    if request.POST.get("then") == "stop":
        return stop_here(seat.worker, now)
    return next_page(request, seat.worker, now)
