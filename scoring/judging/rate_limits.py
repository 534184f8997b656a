"""Calls and tokens per minute, for all workers of all hosts together.

What is booked is counted by the second. A call is let through if the calls of its
second and of the 63 before are fewer than the limit: then those of any 60 s are, too,
also where a server reads a call up to three seconds after it was booked. Workers whose
clocks differ count on from the latest second that any of them booked.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Greatest

from evalapp.work.retries import Clock
from scoring.endpoints import configuration
from scoring.models import JudgeGate, JudgeSecond

Endpoint = configuration.Endpoint
HORIZON = 64  # seconds that count, the one under way included
WRONG_CLOCK = 120  # seconds: nobody waits for a clock that was that far ahead
UNCOUNTED = 0  # the second of calls to an endpoint without limits
LONGEST_WAIT = 1.0  # until one asks again: others' tokens may be fewer than booked


class Reservation(NamedTuple):
    second: int
    tokens: int


class Room(NamedTuple):
    """How many of some calls may be made in a second, or how long to wait."""

    n: int
    second: int = 0
    wait: float = 0.0


def gate(endpoint: Endpoint) -> JudgeGate:
    """Of the endpoint. Made once."""
    return JudgeGate.objects.get_or_create(endpoint=endpoint.name)[0]


def lock(gate: JudgeGate) -> JudgeGate:
    """As it is now; nobody else books or corrects until this transaction ends."""
    return JudgeGate.objects.select_for_update().get(pk=gate.pk)


def room(
    endpoint: Endpoint, gate: JudgeGate, tokens: Sequence[int], clock: Clock
) -> Room:
    """How many of these calls may be made now, from the first.

    Call it with a gate that is locked, and book them in the same transaction. A call
    that alone is over the limit of tokens goes through when all is quiet: it could
    never be made otherwise.
    """
    now = clock()  # read when it is our turn
    if gate.not_before and gate.not_before > now:
        return Room(0, wait=_soon((gate.not_before - now).total_seconds()))
    second = int(now.timestamp())
    if not endpoint.calls_per_minute and not endpoint.tokens_per_minute:
        return Room(len(tokens), UNCOUNTED)
    booked = _reserved_totals(gate, second)
    second = max(second, booked["newest"] or 0)
    n = _free(endpoint, tokens, booked["calls"] or 0, booked["tokens"] or 0)
    if n:
        return Room(n, second)
    first = booked["oldest"] or second
    return Room(0, wait=_soon(first + HORIZON - now.timestamp()))


def reserve(gate: JudgeGate, second: int, tokens: Sequence[int]) -> list[Reservation]:
    """For no more calls than `room` allowed, and in its transaction."""
    reservations = [Reservation(second, n) for n in tokens]
    if not tokens or second == UNCOUNTED:
        return reservations
    rows = JudgeSecond.objects.filter(gate=gate, second=second)
    more = {"calls": len(tokens), "tokens": sum(tokens)}
    if not rows.update(
        calls=F("calls") + len(tokens), tokens=F("tokens") + sum(tokens)
    ):
        JudgeSecond.objects.create(gate=gate, second=second, **more)
    return reservations


def correct(gate: JudgeGate, reserved: Sequence[tuple[Reservation, int]]) -> None:
    """Put what calls took in place of the most that they could take."""
    too_many: dict[int, int] = {}
    for reservation, took in reserved:
        less = reservation.tokens - took
        too_many[reservation.second] = too_many.get(reservation.second, 0) + less
    for second, less in sorted(too_many.items()):
        rows = JudgeSecond.objects.filter(gate=gate, second=second)
        rows.update(tokens=Greatest(F("tokens") - less, 0))


def pause(gate: JudgeGate, *, seconds: float, now: datetime) -> None:
    """Let nobody ask for so long. A shorter time does not end a longer one."""
    until = now + timedelta(seconds=seconds)
    earlier = Q(not_before=None) | Q(not_before__lt=until)
    JudgeGate.objects.filter(earlier, pk=gate.pk).update(not_before=until)


def _reserved_totals(gate: JudgeGate, second: int) -> dict[str, int | None]:
    """What counts, after removing what does not."""
    rows = JudgeSecond.objects.filter(gate=gate)
    sums = _totals(rows, second)
    newest = max(second, sums["newest"] or 0)
    if (sums["oldest"] or second) <= newest - HORIZON or newest > second + WRONG_CLOCK:
        outdated = Q(second__lte=min(newest, second + WRONG_CLOCK) - HORIZON)
        rows.filter(outdated | Q(second__gt=second + WRONG_CLOCK)).delete()
        sums = _totals(rows, second)
    return sums


def _totals(rows: QuerySet[JudgeSecond], second: int) -> dict[str, int | None]:
    return rows.aggregate(
        calls=Sum("calls"),
        tokens=Sum("tokens"),
        oldest=Min("second"),
        newest=Max("second"),
    )


def _free(endpoint: Endpoint, tokens: Sequence[int], calls: int, booked: int) -> int:
    n = len(tokens)
    if endpoint.calls_per_minute:
        n = max(0, min(n, endpoint.calls_per_minute - calls))
    if not endpoint.tokens_per_minute:
        return n
    fits = 0
    for n_tokens in tokens[:n]:
        booked += n_tokens
        if booked > endpoint.tokens_per_minute and (calls or fits):
            break
        fits += 1
    return fits


def _soon(seconds: float) -> float:
    return min(LONGEST_WAIT, max(0.01, seconds))
