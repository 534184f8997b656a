"""Who a browser said it is, in a signed cookie of the workers' own.

Researchers' sessions are rows of the database, so that a log-out ends them. A worker's
would add a row to each look at a link, and work to each answer.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest, HttpResponse

# The name and form of the cookie from when researchers' sessions lay in it, too: who
# was in the middle of a page at that upgrade still has their seat.
COOKIE = "sessionid"


def of(request: HttpRequest) -> MutableMapping[str, Any]:
    """What the browser of this request holds; what is changed in it goes back."""
    held: MutableMapping[str, Any] = request.visitor  # type: ignore[attr-defined]
    return held


def be(request: HttpRequest, held: object) -> None:
    """Take `held` for what the browser of this request holds."""
    request.visitor = held  # type: ignore[attr-defined]


def remember(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: read the cookie when it is asked for, send it where it changed."""

    def serve(request: HttpRequest) -> HttpResponse:
        visitor = SessionStore(request.COOKIES.get(COOKIE))
        be(request, visitor)
        response = get_response(request)
        if visitor.modified:
            visitor.save()
            response.set_cookie(
                COOKIE,
                visitor.session_key or "",
                max_age=settings.SESSION_COOKIE_AGE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return serve
