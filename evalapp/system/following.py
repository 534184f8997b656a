"""Gives each request a number, and logs it: the outermost middleware.

A path may hold the link of a worker, so the log says no more of it than the
name of the view.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from evalapp import faults
from evalapp.system import logs

log = logging.getLogger("evalapp.requests")

HEADER = "X-Request-ID"
LONGEST = 64
Answering = Callable[[HttpRequest], HttpResponse]


def follow(get_response: Answering) -> Answering:
    """A number for each request: in the log, in the answer, on the page of an error."""

    def middleware(request: HttpRequest) -> HttpResponse:
        begun = time.monotonic()
        request.META[faults.NUMBER] = _number(request)
        number = logs.request_id.set(request.META[faults.NUMBER])
        try:
            response = get_response(request)
            response.headers[HEADER] = request.META[faults.NUMBER]
            seconds = time.monotonic() - begun
            _write(request, response.status_code, seconds)
        finally:
            logs.request_id.reset(number)
        return response

    return middleware


def _number(request: HttpRequest) -> str:
    """As the proxy in front has given it, if there is one, else a new one."""
    given = request.headers.get(HEADER, "") if settings.BEHIND_PROXY else ""
    plain = given.replace("-", "").replace("_", "")
    if len(given) <= LONGEST and plain.isascii() and plain.isalnum():
        return given
    return secrets.token_hex(8)


def method(request: HttpRequest) -> str:
    """Clients may send any word: each would be a series of its own."""
    known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    return request.method if request.method in known else "other"


def _write(request: HttpRequest, status: int, seconds: float) -> None:
    kind, view, took = method(request), logs.view_of(request), round(1000 * seconds)
    said = {"method": kind, "view": view, "status": status, "milliseconds": took}
    log.info("%s %s %s in %s ms", kind, view, status, took, extra=said)
