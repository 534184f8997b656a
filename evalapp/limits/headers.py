"""Headers that every response sends to browsers and proxies."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

HEADERS = {
    # Pages and exports hold people's answers: no shared computer or proxy keeps them.
    "Cache-Control": "private, no-store",
    "Permissions-Policy": (
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(),"
        " usb=()"
    ),
}


def private(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Add these headers where a view has not set its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware
