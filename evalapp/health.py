"""Whether all parts answer: for a load balancer, and in words for staff."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import lru_cache

from celery import current_app
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evalapp import faults
from evalapp.queue import beats

KEPT_SECONDS = 5  # who asks a hundred times a second does not reach the parts
BROKER_SECONDS = 2


def problems() -> dict[str, str]:
    """What is wrong, by part, for the operator. Empty if all is well."""
    return dict(_looked(int(time.monotonic() // KEPT_SECONDS)))


@lru_cache(maxsize=1)
def _looked(period: int) -> tuple[tuple[str, str], ...]:
    found = []
    for part, look in PARTS.items():
        try:
            look()
        except Exception as error:
            fault = faults.of(error)
            found.append((part, fault.told if fault else str(error)))
    return tuple(found)


def _database() -> None:
    get_user_model().objects.exists()


def _files() -> None:
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
        file.write(bytes(4096))
        file.flush()


def _broker() -> None:
    """Work only waits while it is away: see waking.py."""
    try:
        with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_SECONDS)
    except Exception as error:
        raise RuntimeError(
            f"The broker does not answer ({error}). New work waits until it does."
            " Start it, or correct CELERY_BROKER_URL."
        ) from None


def _worker() -> None:
    if not beats.alive(now=timezone.now()):
        raise RuntimeError("No worker is running, so metrics and results wait.")


PARTS: dict[str, Callable[[], None]] = {
    "database": _database,
    "files": _files,
    "broker": _broker,
    "worker": _worker,
}
# Without these no page can be answered. What the others do can wait.
NEEDED = ("database", "files")


@never_cache
@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    away = [part for part in NEEDED if part in problems()]
    said = f"away: {', '.join(away)}" if away else "ok"
    code = 503 if away else 200
    return HttpResponse(f"{said}\n", content_type="text/plain", status=code)


@never_cache
@require_safe
def system(request: HttpRequest) -> HttpResponse:
    """The line at the foot of each page of staff."""
    if not request.user.is_staff:
        raise Http404
    return render(request, "_system.html", {"problems": problems()})
