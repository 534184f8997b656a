"""The workers' pages inside a frame on Mechanical Turk.

Browsers give a frame of another site no cookies. So a signed token, which says who the
worker is and which assignment they accepted, is part of the address of every page:
`/m/<token>/w/...` is `/w/...` for that worker. It takes the place of the cookie, and
of the token against forged forms, which nobody can send without knowing it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar
from uuid import UUID

from csp.constants import SELF
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import get_script_prefix, reverse, set_script_prefix
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from annotation.crowd import consent, speaking, visitors
from annotation.models import Study
from annotation.platforms import mturk
from annotation.surveys import estimating

MOUNT = "/m/"
SALT = "mturk-visit"
MAX_AGE = 7 * 24 * 60 * 60  # seconds; a HIT is given back long before
ID = re.compile(r"[A-Za-z0-9]{1,64}")


class BadLink(ValueError):
    """The frame's address is not as Mechanical Turk writes it."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who opened which assignment of which study. A claim, as everywhere."""

    way_home: ClassVar[str] = "annotation/contrib/mturk/_submit.html"

    study: str  # public id, in hex
    worker: str
    assignment: str
    hit: str
    host: str  # where the HIT is submitted

    @classmethod
    def of(cls, study: Study, query: Mapping[str, str]) -> Visit:
        """Read what Mechanical Turk adds to the address of the frame.

        Raises:
            BadLink: If something is missing, or would be submitted elsewhere.
        """
        host = query.get("turkSubmitTo", "").rstrip("/")
        worker = query.get("workerId", "")
        assignment, hit = query.get("assignmentId", ""), query.get("hitId", "")
        if host not in mturk.HOSTS:
            raise BadLink("turkSubmitTo")
        if not mturk.PLATFORM.shape.fullmatch(worker):
            raise BadLink("workerId")
        if not ID.fullmatch(assignment) or not ID.fullmatch(hit):
            raise BadLink("assignmentId or hitId")
        return cls(study.public_id.hex, worker, assignment, hit, host)

    @classmethod
    def read(cls, token: str) -> Visit:
        """Raises signing.BadSignature."""
        return cls(**signing.loads(token, salt=SALT, max_age=MAX_AGE))

    def token(self) -> str:
        return signing.dumps(asdict(self), salt=SALT, compress=True)

    def remembered(self) -> dict:
        """What the cookie would hold."""
        arrival = {"assignmentId": self.assignment, "hitId": self.hit}
        return {
            "workers": {self.study: self.worker},
            "arrival": [self.study, arrival],
        }

    @property
    def submit_url(self) -> str:
        return f"{self.host}/mturk/externalSubmit"


def framed(response: HttpResponse, *hosts: str) -> HttpResponse:
    """Let Mechanical Turk show the page, and its forms lead to these hosts too."""
    response.xframe_options_exempt = True
    response._csp_replace = {
        "frame-ancestors": ["https://*.mturk.com"],
        "form-action": [SELF, *hosts],
    }
    return response


def mount(get_response: Callable[[HttpRequest], HttpResponse]):
    """Middleware, the innermost: serve `/m/<token>/...` as that worker's pages."""

    def serve(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(MOUNT):
            return get_response(request)
        token, _, rest = request.path_info.removeprefix(MOUNT).partition("/")
        try:
            visit = Visit.read(token)
        except signing.BadSignature:
            return framed(_refused(request))
        before = get_script_prefix()
        _become(request, visit, f"/{rest}")
        set_script_prefix(f"{before.rstrip('/')}{MOUNT}{token}/")
        try:
            response = get_response(request)
        finally:
            set_script_prefix(before)
        # No cookie would come back, and browsers warn of each that is set.
        request.META.pop("CSRF_COOKIE_NEEDS_UPDATE", None)
        return framed(response, visit.host)

    return serve


def _become(request: HttpRequest, visit: Visit, path: str) -> None:
    request.path_info = path
    request.urlconf = "annotation.contrib.mturk.urls.frame"
    visitors.be(request, visit.remembered())
    request.frame = visit
    request._dont_enforce_csrf_checks = True  # the token in the address is checked


def _refused(request: HttpRequest) -> HttpResponse:
    context = {
        "study": {"public_title": gettext("Rate texts")},
        "heading": gettext("We don't recognise this browser"),
        "lines": [
            gettext(mturk.PLATFORM.how_to_arrive),
            gettext("All your answers are saved."),
        ],
    }
    return render(request, "annotation/crowd/message.html", context, status=403)


@login_not_required
@never_cache
@require_safe
def arrive(request: HttpRequest, study_id: UUID) -> HttpResponse:
    """What the frame opens: a preview, or the way to the worker's own pages."""
    study = get_object_or_404(Study, public_id=study_id, platform="mturk")
    speaking.speak(study)
    if request.GET.get("assignmentId", mturk.PREVIEW) == mturk.PREVIEW:
        return framed(_preview(request, study))
    try:
        visit = Visit.of(study, request.GET)
    except BadLink:
        context = {
            "study": study,
            "heading": gettext("Your link is incomplete"),
            "lines": [gettext(mturk.PLATFORM.how_to_arrive)],
        }
        return framed(
            render(request, "annotation/crowd/message.html", context, status=400)
        )
    prefix = get_script_prefix().rstrip("/")
    path = study.get_worker_url().removeprefix(prefix)
    return framed(redirect(f"{prefix}{MOUNT}{visit.token()}{path}"))


def _preview(request: HttpRequest, study: Study) -> HttpResponse:
    """Read-only: who has not accepted the HIT has no seat."""
    context = {
        "study": study,
        "aspects": study.aspects.all(),
        "minutes": estimating.minutes_per_page(study),
        "pay": consent.pay(study),
    }
    return render(request, "annotation/contrib/mturk/preview.html", context)


@require_safe
def question(request: HttpRequest, name: str) -> HttpResponse:
    """The ExternalQuestion, for the researcher to make the HIT of."""
    study = get_study_for(request.user, name)
    url = request.build_absolute_uri(reverse("worker:mturk", args=[study.public_id]))
    return HttpResponse(
        mturk.question(url),
        content_type="application/xml; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{study.name}-question.xml"'
        },
    )
