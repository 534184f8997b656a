"""How much of a request a process takes in before anybody has looked at it.

Large bodies only where files are taken, of someone whose login or token lets them in;
all others end at `SMALL`. A request that stops arriving is dropped, and what all
unfinished ones of a process hold is bounded: else a few strangers fill memory or disk.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from django.conf import settings
from django.http import Http404
from django.urls import resolve
from django.utils import timezone
from waitress.parser import HTTPRequestParser

SMALL = 5 * 2**20  # Django refuses forms beyond 4 MB, but reads them
# A rate, not a deadline: a large file over a slow line goes on.
WINDOW_SECONDS = 20
LEAST_BYTES = 20 * 1024  # in each window: 1 kB a second
HELD_FILES = 4  # of the largest size: what unfinished bodies of a process may hold


def most_bytes(path: str, headers: Mapping[str, str]) -> int:
    """How large the body of a request may be, if what it shows is true.

    Args:
        path: Its address, without what follows "?".
        headers: By name, in capitals with underscores.
    """
    logged_in = f"{settings.SESSION_COOKIE_NAME}=" in headers.get("COOKIE", "")
    if not (logged_in or "AUTHORIZATION" in headers):
        return SMALL
    try:
        view = resolve(path).func
    except Http404:
        return SMALL
    if getattr(getattr(view, "cls", view), "takes_files", False):
        # Twice: a file that is too large reaches the form, which says so.
        return int(2 * settings.UPLOAD_MAX_BYTES)
    return SMALL


def _lets_in(headers: Mapping[str, str]) -> bool:
    from evalapp.accounts import shown  # needs apps, and the server starts before them

    return shown.lets_in(
        cookie=headers.get("COOKIE", ""),
        authorization=headers.get("AUTHORIZATION", ""),
        now=timezone.now(),
    )


class Parser(HTTPRequestParser):
    """Of one request; knows when it began, and what it has brought since."""

    adj: Any

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self.window_began, self.window_bytes = time.monotonic(), 0

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        most = most_bytes(self.path, self.headers)
        if most > SMALL and self._may_be_large and not _lets_in(self.headers):
            most = SMALL
        if most < self.adj.max_request_body_size:
            self.adj = copy(self.adj)
            self.adj.max_request_body_size = most

    @property
    def _may_be_large(self) -> bool:
        """Only then is the database asked: it holds up the thread that reads."""
        return bool(self.chunked or self.content_length > SMALL)

    @property
    def n_bytes(self) -> int:
        return int(self.header_bytes_received + self.body_bytes_received)

    def is_too_slow(self, now: float) -> bool:
        """Whether less than the least has come in a whole window that is over."""
        if now - self.window_began < WINDOW_SECONDS:
            return False
        slow = self.n_bytes - self.window_bytes < LEAST_BYTES
        self.window_began, self.window_bytes = now, self.n_bytes
        return slow


def held_bytes() -> int:
    return HELD_FILES * int(settings.UPLOAD_MAX_BYTES)


def to_drop(channels: Iterable[Any], now: float) -> list[Any]:
    """Connections whose unfinished request is too slow, or one too much.

    Beyond the budget those that hold most go first.
    """
    unfinished = [one for one in channels if getattr(one, "request", None)]
    slow = [one for one in unfinished if one.request.is_too_slow(now)]
    others = [one for one in unfinished if one not in slow]
    others.sort(key=lambda one: one.request.n_bytes, reverse=True)
    held, most = sum(one.request.n_bytes for one in others), held_bytes()
    for one in others:
        if held <= most:
            break
        held -= one.request.n_bytes
        slow.append(one)
    return slow
