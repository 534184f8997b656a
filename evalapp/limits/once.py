"""What was sent twice is done once: a form of one page, a call of the API with a key.

An answer can be lost on its way, when a connection or the database goes away after the
work was stored. Whoever sends it again would start it again. So such a request is
written down before its view begins, with what came of it; sent again, it gets the same
answer, or is told that nobody knows.

- A page says so with `@at_most_once` on its view: a form that is sent twice from one
  loaded page, with the same words, is one form (Django's token differs in each page).
- A call of the API has the header `Idempotency-Key`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import APIException
from rest_framework.permissions import BasePermission

from evalapp.limits.models import Sent

if TYPE_CHECKING:  # `rest_framework.views` itself imports this file, by the settings
    from rest_framework.request import Request
    from rest_framework.views import APIView

TOKEN = "csrfmiddlewaretoken"
HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
LARGEST = 100_000  # characters of an answer that is kept
KEPT = timedelta(days=1)
CONFLICT = 409
UNKNOWN = (
    "This was sent before, and the answer was lost, so it may have been carried out."
    " Look for it first. To send it again, load the page with the form again."
)
UNKNOWN_CALL = (
    "This key was used before, and nobody knows what came of it. Look for what it would"
    " have made. To send it again, use another key."
)

View = TypeVar("View", bound=Callable[..., HttpResponse])


def at_most_once(view: View) -> View:
    """A form of this page starts something that would be started twice."""
    view.at_most_once = True  # type: ignore[attr-defined]
    return view


class Replayed(Exception):
    """Not for anybody to catch but the middleware, which gives this answer."""

    def __init__(self, answer: HttpResponse) -> None:
        self.answer = answer
        super().__init__("sent before")


class AtMostOnce:
    """Middleware: behind those that ask who sends it, and whether they may."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        row: Sent | None = getattr(request, "sent_once", None)
        if row is not None:
            _note(row, response)
        return response

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: tuple[object, ...],
        kwargs: Mapping[str, Any],
    ) -> HttpResponse | None:
        if not getattr(view, "at_most_once", False) or TOKEN not in request.POST:
            return None  # without a token nothing says which page sent it
        row = _row(request, sorted(request.POST.lists()))
        if row is None:
            return None
        if row.status is not None:
            return _answer(row)
        context = {"problem": UNKNOWN, "study": kwargs.get("name")}
        return render(request, "409.html", context, status=CONFLICT)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        return error.answer if isinstance(error, Replayed) else None


class HasKeyOfItsOwn(BasePermission):  # type: ignore[misc]
    """The same for the API: last of its permissions, when it is known who asks."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        given = request.headers.get(HEADER, "")
        if request.method != "POST" or not given:
            return True
        row = _row(request._request, [given, _body(request)], request.user.pk)
        if row is None:
            return True
        if row.status is None:
            raise Conflict
        raise Replayed(_answer(row))


class Conflict(APIException):  # type: ignore[misc]
    status_code = CONFLICT
    default_detail = UNKNOWN_CALL


def tidy(*, now: datetime) -> None:
    Sent.objects.filter(at__lt=now - KEPT).delete()


def _row(request: HttpRequest, parts: object, user: int | None = None) -> Sent | None:
    """What came of an earlier one; None for the first, which is written down."""
    given = [user or request.user.pk, request.get_full_path(), parts]
    key = salted_hmac("sent-once", json.dumps(given), algorithm="sha256").hexdigest()
    row, is_new = Sent.objects.get_or_create(key=key, defaults={"at": timezone.now()})
    if is_new:
        request.sent_once = row  # type: ignore[attr-defined]
    return None if is_new else row


def _body(request: Request) -> object:
    """Of a file, its name and size: it may be large."""
    files = sorted((one.name, one.size) for one in request.FILES.values())
    return [request.data if not files else sorted(request.POST.lists()), files]


def _note(row: Sent, response: HttpResponse) -> None:
    """Refused, it may be sent again; broken, nobody knows what came of it."""
    status = response.status_code
    if status >= 500:
        return
    location = response.get("Location", "")
    is_json = response.get("Content-Type", "").startswith("application/json")
    body = response.content.decode() if is_json and not response.streaming else ""
    if status < 400 and 0 < len(location) + len(body) <= LARGEST:
        row.status, row.location, row.body = status, location, body
        row.save(update_fields=["status", "location", "body"])
    else:
        row.delete()


def _answer(row: Sent) -> HttpResponse:
    answer: HttpResponse
    if row.location:
        answer = HttpResponseRedirect(row.location)
    else:
        answer = HttpResponse(row.body, "application/json", row.status)
    answer[REPLAYED] = "true"
    return answer
