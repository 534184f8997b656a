"""How often one worker, or one address, may knock in a minute."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

SECONDS = 60
SHARING = 30  # workers behind one address, all in a hurry

Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponse]


def count(key: str, seconds: int) -> int:
    """Add one to a counter that ends some seconds after it began; return it."""
    cache.add(key, 0, seconds)
    try:
        return cache.incr(key)
    except ValueError:  # it ended between the two
        cache.set(key, 1, seconds)
        return 1


def address_of(request: HttpRequest) -> str:
    """Who asks. What a request says of itself counts only where a proxy wrote it."""
    if settings.BEHIND_PROXY:
        # The last entry is the proxy's own; those before it are the client's to invent.
        forwarded = request.headers.get("X-Forwarded-For", "").split(",")[-1].strip()
        if forwarded:
            return forwarded
    address: str = request.META.get("REMOTE_ADDR", "")
    return address


def is_too_often(what: str, who: str, times: int) -> bool:
    """Count one more; whether that is more than so many times a minute."""
    digest = hashlib.sha256(who.encode()).hexdigest()[:32]
    return count(f"often:{what}:{digest}", SECONDS) > times


def limited(
    who: Callable[Concatenate[HttpRequest, Rest], str | None],
    refuse: Callable[Concatenate[HttpRequest, Rest], HttpResponse],
) -> Callable[[View[Rest]], View[Rest]]:
    """Refuse a worker, as `who` names them, or an address that knocks too often."""

    def decorate(view: View[Rest]) -> View[Rest]:
        @wraps(view)
        def counted(
            request: HttpRequest, *args: Rest.args, **kwargs: Rest.kwargs
        ) -> HttpResponse:
            name = who(request, *args, **kwargs)
            most = settings.STARTS_PER_MINUTE
            often = name and is_too_often("worker", name, max(1, most // SHARING))
            if often or is_too_often("address", address_of(request), most):
                answer = refuse(request, *args, **kwargs)
                answer.status_code = 429
                answer["Retry-After"] = str(SECONDS)
                return answer
            return view(request, *args, **kwargs)

        # mypy does not see that the request, then the rest, is what a view takes.
        return counted  # type: ignore[return-value]

    return decorate
