"""For machines that watch the site, and the page System for staff."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from evalapp.limits import throttling
from evalapp.system import checking, health, overview
from evalapp.work import heartbeats

PIECE = 1 << 20
Answering = Callable[[HttpRequest], HttpResponse]


def ahead(get_response: Answering) -> Answering:
    """Middleware: machines ask past the proxy, by plain HTTP and by any host name."""
    doors = {"/healthz": alive, "/readyz": ready, "/health/": ready}

    def middleware(request: HttpRequest) -> HttpResponse:
        view = doors.get(request.path_info)
        if view and request.method in ("GET", "HEAD"):
            return view(request)
        return get_response(request)

    return middleware


def alive(request: HttpRequest) -> HttpResponse:
    """Whether this process answers. A restart would not bring a database back."""
    return _plain("ok", 200)


@never_cache
@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Whether people can be sent here."""
    away = health.away()
    return _plain(f"away: {', '.join(away)}", 503) if away else _plain("ok", 200)


@never_cache
@csrf_exempt
@login_not_required
def seen(request: HttpRequest) -> HttpResponse:
    """What `manage.py check_site` looks like from here, if it has signed the request.

    It also sends the largest upload, which is counted and thrown away.
    """
    if not checking.is_signed(request.GET.get("token", "")):
        return _plain("Only signed requests are answered.", 403)
    found = {
        "address": throttling.address_of(request),
        "secure": request.is_secure(),
        "at": timezone.now().isoformat(),
        "bytes": _received(request),
    }
    return JsonResponse(found)


def _received(request: HttpRequest) -> int:
    """Bytes of the body, a piece at a time: it may be large."""
    return sum(map(len, iter(lambda: request.read(PIECE), b"")))


@never_cache
@require_safe
def line(request: HttpRequest) -> HttpResponse:
    """At the foot of each page of staff."""
    _staff_only(request)
    context = {"problems": health.problems()}
    return render(request, "evalapp/system/_line.html", context)


@never_cache
@require_safe
def system(request: HttpRequest) -> HttpResponse:
    """Workers, queues, work in progress and failed work."""
    _staff_only(request)
    part = request.htmx
    page = "evalapp/system/_overview.html" if part else "evalapp/system/system.html"
    context = {
        "problems": health.problems(),
        "workers": overview.workers(),
        "chores_done_at": heartbeats.chores_done_at(),
        "queues": overview.queues(),
        "running": overview.in_progress(),
        "failed": overview.failed(),
    }
    return render(request, page, context)


def _staff_only(request: HttpRequest) -> None:
    if not request.user.is_staff:
        raise Http404


def _plain(said: str, status: int) -> HttpResponse:
    return HttpResponse(f"{said}\n", content_type="text/plain", status=status)
