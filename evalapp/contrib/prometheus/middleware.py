"""Counts each request, and answers the one that asks for the figures."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from evalapp.contrib.prometheus import figures
from evalapp.system import following, logs

ADDRESS = "/metrics"
FORMAT = "text/plain; version=0.0.4; charset=utf-8"
Answering = Callable[[HttpRequest], HttpResponse]


def count(get_response: Answering) -> Answering:
    """Outside of what others refuse, which counts, too."""
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed
    counted = figures.counter()

    def middleware(request: HttpRequest) -> HttpResponse:
        begun = time.monotonic()
        response = _figures(request) or get_response(request)
        counted(
            following.method(request),
            logs.view_of(request),
            response.status_code,
            time.monotonic() - begun,
        )
        return response

    return middleware


def _figures(request: HttpRequest) -> HttpResponse | None:
    """None without a token: a page has almost the same address."""
    if request.path_info != ADDRESS or request.method not in ("GET", "HEAD"):
        return None
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind != "Bearer" or not settings.METRICS_TOKEN:
        return None
    if not constant_time_compare(token.strip(), settings.METRICS_TOKEN):
        words = "The token is wrong.\n"
        return HttpResponse(words, content_type="text/plain", status=401)
    return HttpResponse(figures.text(), content_type=FORMAT)
