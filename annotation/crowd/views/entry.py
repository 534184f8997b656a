"""The crowdworker's way: link -> consent -> pages of texts -> thank you.

Workers have no account: a signed cookie (visitors.py) remembers who they said they are,
for each study apart. No GET writes anything; a POST claims, saves or submits.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import assigning, platforms, workers
from annotation.crowd import (
    consent,
    endings,
    invites,
    link_claims,
    practice,
    proofs,
    signatures,
    sources,
    speaking,
    visitors,
)
from annotation.crowd.cookies import current_worker, keep, remember, remembered_id
from annotation.crowd.forms.pages import ConsentForm
from annotation.crowd.left import MANY_PAGES, pages_done, pages_left
from annotation.crowd.views import proving
from annotation.models import Seat, Study, Worker
from annotation.seats import newcomers
from annotation.surveys import estimating
from evalapp.limits import throttling

# Who is it? ---------------------------------------------------------------------------


def enrol(study: Study, external_id: str, words: str, now: datetime) -> Worker:
    """The worker with this id, now agreeing to these words. Safe to call twice."""
    worker, _ = study.workers.update_or_create(
        platform=study.platform,
        external_id=external_id,
        defaults={"consent": words, "consented_at": now},
    )
    return worker


def has_agreed(worker: Worker | None, study: Study) -> bool:
    return worker is not None and worker.consent == consent.words(study)


# What is there to do? -----------------------------------------------------------------


def unfinished(worker: Worker | None) -> Seat | None:
    """The page that they are at and may finish."""
    if worker is None or not worker.takes_part:
        return None
    return worker.seats.filter(state=Seat.State.CLAIMED).first()


# Pages that explain -------------------------------------------------------------------


def message(
    request: HttpRequest, heading: str, *lines: str, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"heading": heading, "lines": lines, **more}
    return render(request, "annotation/crowd/message.html", context, status=status)


def stranger(request: HttpRequest, study: Study, *lines: str) -> HttpResponse:
    """For a browser that we do not know, or that does not keep our cookie."""
    platform = platforms.of(study)
    return message(
        request,
        gettext("We don't recognise this browser"),
        gettext(platform.how_to_arrive) if platform else "",
        *lines,
        study=study,
        status=403,
    )


def ended(request: HttpRequest, study: Study, ending: endings.Ending) -> HttpResponse:
    """The end for workers who submitted nothing or cannot continue now."""
    worker = current_worker(request, study)
    return message(
        request,
        ending.heading,
        *ending.lines,
        study=study,
        ending=ending,
        home=ending.home(study, worker.external_id if worker else ""),
        platform=platforms.of(study),
        seat=unfinished(worker),
        has_code=pages_done(worker) > 0,
    )


# Pages --------------------------------------------------------------------------------


@login_not_required
@never_cache
@require_safe
def welcome(request: HttpRequest, study_id: UUID) -> HttpResponse:
    study = speaking.study_of(study_id)
    platform = platforms.of(study)
    if platform is None:
        line = gettext("Please write to %(contact)s.")
        return message(
            request,
            gettext("This study cannot be opened here"),
            line % {"contact": consent.contact(study)},
            study=study,
        )
    if invites.PARAMETER in request.GET:
        return invited(request, study)
    try:
        arrived = platform.worker_id(request.GET)
    except platforms.BadWorkerId:
        heading, line = gettext("Your link is incomplete"), platform.how_to_arrive
        return message(request, heading, gettext(line), study=study, status=400)
    if arrived is not None:
        return arrive(request, study, arrived)
    worker = current_worker(request, study)
    if worker and not proofs.may_go_on(request, worker):
        return proving.ask(request, study)
    if worker and not worker.takes_part:
        return redirect("worker:done", study.public_id)
    if study.state != Study.State.OPEN:
        return ended(request, study, endings.not_open(study, pages_done(worker)))
    if not invites.admits(study=study, external_id=remembered_id(request, study)):
        return not_invited(request, study)
    if remembered_id(request, study) is None:
        if platform.new_id is None:
            return stranger(request, study)
        remember(request, study, platform.new_id())
    return welcome_page(request, study, worker)


def arrive(request: HttpRequest, study: Study, external_id: str) -> HttpResponse:
    """Remember whom the link names, and take the id out of the address."""
    if not signatures.check(request, study, external_id, timezone.now()):
        return unsigned(request, study)
    remember(request, study, external_id)
    link_claims.note(request, study)
    if code := request.GET.get(proofs.PARAMETER):
        proofs.give_code(request, study, external_id, code)
    return redirect(study.get_worker_url())


def invited(request: HttpRequest, study: Study) -> HttpResponse:
    """Remember whom the link invites, and take its token out of the address."""
    try:
        token = request.GET[invites.PARAMETER]
        external_id = invites.external_id(study=study, token=token)
    except invites.Refused:
        return not_invited(request, study)
    remember(request, study, external_id)
    keep(request, "links", study, invites.mark_of(token))
    return redirect(study.get_worker_url())


def unsigned(request: HttpRequest, study: Study) -> HttpResponse:
    """For a link that anyone could have made: the platform gives them their own."""
    platform = platforms.of(study)
    line = gettext(platform.how_to_arrive) if platform else ""
    heading = gettext("Your link is incomplete")
    return message(request, heading, line, study=study, status=403)


def not_invited(request: HttpRequest, study: Study) -> HttpResponse:
    only = gettext("Only invited people can take part, each with their own link.")
    again = gettext(
        "Open the link from your invitation again, or write to %(contact)s."
    )
    return message(
        request,
        gettext("This link does not work"),
        *([only] if study.invited_only else []),
        gettext(
            "Your link may be incomplete, replaced by a newer one, or meant for"
            " another study."
        ),
        again % {"contact": consent.contact(study)},
        study=study,
        has_code=pages_done(current_worker(request, study)) > 0,
        status=403,
    )


def welcome_page(
    request: HttpRequest,
    study: Study,
    worker: Worker | None,
    form: ConsentForm | None = None,
) -> HttpResponse:
    """Instructions, and words to agree to where the worker has not yet."""
    begun, left = unfinished(worker), pages_left(study, worker, timezone.now())
    if not begun and not left:
        if worker is None:
            return ended(request, study, endings.nothing_left(study))
        return redirect("worker:done", study.public_id)
    if not has_agreed(worker, study):
        form = form or ConsentForm(study)
    context = {
        "study": study,
        "aspects": study.aspects.all(),
        "form": form,
        "unfinished": begun,
        "pages_done": pages_done(worker),
        "pages_left": left + (begun is not None) if left < MANY_PAGES else None,
        "minutes": estimating.minutes_per_page(study),
        "pay": consent.pay(study),
    }
    status = 400 if form and form.is_bound else 200
    return render(request, "annotation/crowd/welcome.html", context, status=status)


def worker_named(request: HttpRequest, study_id: UUID) -> str | None:
    """The worker that the visitor claims to be; None if they claim nothing."""
    said = visitors.of(request).get("workers", {}).get(study_id.hex)
    return said and f"{study_id.hex} {said}"


def too_often(request: HttpRequest, study_id: UUID) -> HttpResponse:
    study = speaking.study_of(study_id)
    return message(
        request,
        gettext("Please wait a minute"),
        gettext(
            "You, or other people on your network, asked for pages too often. All your"
            " answers are saved."
        ),
        gettext("Wait a minute, go back and try again."),
        study=study,
    )


def crowded(request: HttpRequest, study: Study, wait: timedelta) -> HttpResponse:
    minutes = max(1, ceil(wait.total_seconds() / 60))
    again = ngettext(
        "You can have a page once some of theirs are submitted. Try again in"
        " %(minutes)s minute: open the same link and press the button.",
        "You can have a page once some of theirs are submitted. Try again in"
        " %(minutes)s minutes: open the same link and press the button.",
        minutes,
    )
    answer = message(
        request,
        gettext("Please come back in a few minutes"),
        gettext(
            "Many people on your network are reading their first page right now, and"
            " we keep some pages for people elsewhere. You did nothing wrong."
        ),
        again % {"minutes": minutes},
        study=study,
        status=429,
    )
    answer["Retry-After"] = str(60 * minutes)
    return answer


@login_not_required
@never_cache
@require_POST
@throttling.limited(who=worker_named, refuse=too_often)
@proving.proven
def start(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """Claim a page, once the words are agreed to."""
    study = speaking.study_of(study_id)
    external_id = remembered_id(request, study)
    worker, now = current_worker(request, study), timezone.now()
    stopped = worker is not None and not worker.takes_part
    stopped = stopped or not invites.admits(study=study, external_id=external_id)
    if study.state != Study.State.OPEN or external_id is None or stopped:
        return redirect(study.get_worker_url())  # which says why
    if worker is None or not has_agreed(worker, study):
        form = ConsentForm(study, request.POST)
        if not form.is_valid():
            return welcome_page(request, study, worker, form)
        worker = enrol(study, external_id, form.words, now)
        invites.bind(worker=worker)
    link_claims.keep(request, worker)
    proofs.begin(request)
    if not proofs.take_link(request, worker):  # another browser was faster
        return proving.ask(request, study)
    return next_page(request, worker, now)


def next_page(request: HttpRequest, worker: Worker, now: datetime) -> HttpResponse:
    admitted = invites.admits(study=worker.study, external_id=worker.external_id)
    # Words that were changed meanwhile are agreed to before the next page, too.
    if not admitted or not has_agreed(worker, worker.study):
        return redirect(worker.study.get_worker_url())  # which says why
    if practice.is_due(worker):
        return redirect("worker:practice", worker.study.public_id)
    source = sources.of(request, worker.study, worker.external_id)
    try:
        seat = assigning.claim(worker=worker, now=now, source=source)
    except newcomers.TooMany as crowd:
        return crowded(request, worker.study, crowd.until - now)
    return stop(worker, now) if seat is None else redirect(seat)


def stop_here(worker: Worker, now: datetime) -> HttpResponse:
    """As `stop`; who may still go on is asked once whether they mean it."""
    answer = stop(worker, now)
    study = worker.study
    if worker.takes_part and not unfinished(worker) and pages_left(study, worker, now):
        return redirect("worker:finish", study.public_id)
    return answer


def stop(worker: Worker, now: datetime) -> HttpResponse:
    """To the end if nothing more is to come, else to where they can continue.

    Only a true end says what the study hid, because it changes what people look for.
    """
    worker.refresh_from_db()
    if worker.state == Worker.State.ACTIVE and assigning.has_nothing_left(worker):
        workers.finish(worker=worker, now=now)
    return redirect("worker:done", worker.study.public_id)
