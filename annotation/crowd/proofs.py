"""What shows that a browser belongs to a worker, where an id is no more than a claim.

Short numbers are guessed, and on a platform each requester knows the ids of others'
workers. So once a page is submitted, only these let someone continue as its worker, see
the personal code, or take the answers back:

- the browser that handed it in, by a random token in its cookie;
- what the platform's link tells nobody else, such as the session on Prolific;
- a link that the platform has signed, where signatures are asked for;
- the personal code, typed or in the link to come back by;
- an invite, for the first browser that begins with its link.

In a frame on Mechanical Turk there is no cookie, and nothing can be taken back: there
an id stays enough.
"""

from __future__ import annotations

import secrets

from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from annotation import platforms
from annotation.crowd import cookies, invites, signatures, visitors
from annotation.models import Study, Worker
from annotation.models.surveys import CODE
from evalapp.limits import throttling

PARAMETER = "code"  # of the link to come back by
TRIES = 5  # in a minute, of one network for one worker
MOST = 10  # proofs that are kept with a worker
SHORTEST = 16  # characters of what a platform tells nobody else


def begin(request: HttpRequest) -> None:
    """Give the browser a token of its own, unless it has one."""
    visitor = visitors.of(request)
    if "browser" not in visitor:
        visitor["browser"] = secrets.token_urlsafe(12)


def may_go_on(request: HttpRequest, worker: Worker) -> bool:
    """Whether nothing of the worker is at stake yet, or the browser shows a proof."""
    return not worker.proofs or is_shown(request, worker)


def is_shown(request: HttpRequest, worker: Worker) -> bool:
    code = cookies.of_study(request, "codes", worker.study) or ""
    if constant_time_compare(code, worker.personal_code):
        return True
    if not set(_digests(request, worker)).isdisjoint(worker.proofs):
        return True
    if signatures.is_shown(request, worker.study, worker.external_id):
        return True
    return invites.lets_in(worker=worker, mark=_mark(request, worker))


def take_link(request: HttpRequest, worker: Worker) -> bool:
    """Bind an invited worker's link to this browser, if it may go on; whether it may.

    At the start and not at the first page: else a link would let in any number of
    browsers until then, and the one who hands in first would shut out the others.
    """
    if invites.is_invited(worker.external_id) and may_go_on(request, worker):
        begin(request)
        learn(request, worker)
        if invites.lets_in(worker=worker, mark=_mark(request, worker)):
            # One that was known already has come by a newer link.
            invites.take(worker=worker, mark=_mark(request, worker))
    return may_go_on(request, worker)


def learn(request: HttpRequest, worker: Worker) -> None:
    """Take what this browser shows as proof from now on. It has submitted a page."""
    shown = _digests(request, worker)
    if set(shown) <= set(worker.proofs):
        return
    with transaction.atomic():
        locked = Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
        locked.study = worker.study
        # Someone else may have been faster.
        if may_go_on(request, locked):
            new = [one for one in shown if one not in locked.proofs]
            locked.proofs = [*locked.proofs, *new][-MOST:]
            locked.save(update_fields=["proofs"])
            invites.take(worker=locked, mark=_mark(request, locked))
        worker.proofs = locked.proofs


def _mark(request: HttpRequest, worker: Worker) -> str:
    return cookies.of_study(request, "links", worker.study) or ""


def give_code(request: HttpRequest, study: Study, external_id: str, code: str) -> bool:
    """Keep the code that someone gives; False if they try too often."""
    network = throttling.network_of(throttling.address_of(request))
    who = f"{study.public_id.hex} {external_id} {network}"
    if throttling.is_too_often("code", who, TRIES):
        return False
    cookies.keep(request, "codes", study, code.strip().lower()[:CODE])
    return True


def _digests(request: HttpRequest, worker: Worker) -> list[str]:
    """Of all that this browser can show. Other workers' are others."""
    visitor = visitors.of(request)
    found = [visitor.get("browser", "")]
    platform = platforms.of(worker.study)
    study_id, said = visitor.get("arrival", ["", {}])
    if platform and platform.secret and study_id == worker.study.public_id.hex:
        told = said.get(platform.secret, "")
        found.append(told if len(told) >= SHORTEST else "")
    return [
        salted_hmac("proof", f"{worker.public_id}:{token}").hexdigest()[:32]
        for token in found
        if token
    ]
