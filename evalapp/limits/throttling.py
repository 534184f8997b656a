"""How often one worker, or one address, may knock in a minute."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import wraps
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from evalapp.limits.models import Count

SECONDS = 60
# One home or server has as many IPv6 addresses as it likes, all in a network like this.
HOME = 64  # bits
SHARING = 30  # workers behind one address, all in a hurry

Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponse]


def count(key: str, seconds: int, *, most: int, now: datetime) -> int:
    """Add one to a counter that ends some seconds after it began; return it.

    Of several who count at one moment, in whichever process, each gets a number of
    their own. Beyond `most` it stays where it is: a flood of requests writes nothing.
    """
    if Count.objects.filter(key=key, ends_at__gt=now, n__gt=most).exists():
        return most + 1
    end = now + timedelta(seconds=seconds)
    with transaction.atomic():
        locked = Count.objects.select_for_update()
        row, _ = locked.get_or_create(key=key, defaults={"ends_at": end})
        if row.ends_at <= now:
            row.n, row.ends_at = 0, end
        row.n += 1
        row.save()
    return row.n


def uncount(key: str) -> None:
    """Take one back, which turned out to be none."""
    Count.objects.filter(key=key, n__gt=0).update(n=F("n") - 1)


def forget(key: str) -> None:
    Count.objects.filter(key=key).delete()


def forget_all(start: str) -> int:
    """Forget all counters whose key begins so. Return how many."""
    return Count.objects.filter(key__startswith=start).delete()[0]


def beyond(start: str, most: int, *, now: datetime) -> dict[str, datetime]:
    """Counters whose key begins so that are beyond `most`: {key: when they end}."""
    found = Count.objects.filter(key__startswith=start, n__gt=most, ends_at__gt=now)
    return dict(found.values_list("key", "ends_at"))


def tidy(*, now: datetime) -> None:
    """Delete counters that have ended."""
    Count.objects.filter(ends_at__lte=now).delete()


def address_of(request: HttpRequest) -> str:
    """Who asks. What a request says of itself counts only where a proxy wrote it."""
    if settings.BEHIND_PROXY:
        # The last entry is the proxy's own; those before it are the client's to invent.
        forwarded = request.headers.get("X-Forwarded-For", "").split(",")[-1].strip()
        if forwarded:
            return forwarded
    address: str = request.META.get("REMOTE_ADDR", "")
    return address


def network_of(address: str) -> str:
    """The address, or the network of a home if it is one of IPv6."""
    with suppress(ValueError):
        parsed = ip_address(address)
        if isinstance(parsed, IPv6Address):
            if parsed.ipv4_mapped:
                return str(parsed.ipv4_mapped)
            return str(ip_network((parsed, HOME), strict=False))
    return address


def is_too_often(what: str, who: str, times: int) -> bool:
    """Count one more; whether that is more than so many times a minute."""
    key = key_of(f"often:{what}", who)
    return count(key, SECONDS, most=times, now=timezone.now()) > times


def key_of(what: str, *who: str) -> str:
    """The name of a counter. Who it counts cannot be read from it.

    Keyed: of a plain hash, all IPv4 addresses can be tried in an hour.
    """
    digest = salted_hmac("count", "\n".join(who)).hexdigest()[:32]
    return f"{what}:{digest}"


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
            if often or is_too_often("address", network_of(address_of(request)), most):
                answer = refuse(request, *args, **kwargs)
                answer.status_code = 429
                answer["Retry-After"] = str(SECONDS)
                return answer
            return view(request, *args, **kwargs)

        # mypy does not see that the request, then the rest, is what a view takes.
        return counted  # type: ignore[return-value]

    return decorate
