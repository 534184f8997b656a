"""Requests that are refused before anything looks at them, and how that is said."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from contextlib import suppress

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.template import loader
from django.urls import Resolver404, resolve
from django.views import defaults

from annotation import storable

API = "/api/"
ENCODINGS = ("utf-8", "ascii")


def understood(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse a request in another encoding, or with an address no text can have.

    Django reads forms in any encoding that Python knows, some of which raise errors or
    make half characters; a NUL in an address reaches the database, which refuses it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if charset := (request.content_params or {}).get("charset"):
            if not _is_utf_8(charset):
                return _refused(request, "The text of a request must be in UTF-8.")
            request.encoding = "utf-8"  # Django knows it by no other name
        if said := storable.problem_in([request.path, dict(request.GET.lists())]):
            return _refused(request, f"The address {said}.")
        return get_response(request)

    return middleware


def _is_utf_8(charset: str) -> bool:
    try:
        return codecs.lookup(charset.strip(" \"'")).name in ENCODINGS
    except (LookupError, ValueError):  # no such encoding, or a NUL in its name
        return False


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What is answered with 400 outside forms.

    Django's own looks for a CSRF token in the form first, which is what may have been
    unreadable: it fails once more and says that something broke.
    """
    return _refused(request)


def _refused(request: HttpRequest, said: str = "") -> HttpResponse:
    if request.path.startswith(API):
        errors = [said or "We could not read this request."]
        return JsonResponse({"errors": errors}, status=400)
    page = loader.render_to_string("400.html", {"said": said})
    return HttpResponse(page, status=400)


def not_that_way(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: no blank page for people who open an address that only takes forms.

    The browser shows such an address after a form with errors, and after a login.
    Its form is on the nearest page above it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or request.path.startswith(API):
            return response
        if request.method == "GET" and (page := _page_above(request)):
            return HttpResponseRedirect(page)
        response.content = loader.render_to_string("405.html").encode()
        return response

    return middleware


def _page_above(request: HttpRequest) -> str:
    """With what the address asks for; empty where there is none."""
    path = request.path_info
    before = request.path.removesuffix(path)  # where pages stand in a frame
    query = request.META.get("QUERY_STRING", "")
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        with suppress(Resolver404):
            resolve(path, getattr(request, "urlconf", None))
            return f"{before}{path}{'?' if query else ''}{query}"
    return ""


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(API):
        errors = ["This address is not part of the API. See /api/ for the list."]
        return JsonResponse({"errors": errors}, status=404)
    return defaults.page_not_found(request, exception)
