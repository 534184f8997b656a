"""Whose turn it is: a worker goes on with what it has loaded, within bounds.

A wake-up call says that a row waits, not that this worker must take that very row.
Loading a large model takes minutes, so a worker takes a row first whose model it has,
then one whose model no other worker has at hand. The row that it was woken for gets its
message again, and is passed over for at most `PATIENCE`.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from evalapp.work import dispatch
from evalapp.work.leases import ATTEMPTS
from evalapp.work.models import Loading

# As long as a training keeps its worker before others get their turn.
PATIENCE = timedelta(minutes=4)

State = Loading.State


def chosen(
    kind: type[Loading], *, pk: int, held: Collection[str], now: datetime
) -> int:
    """The row to take by a worker that was woken for this one. One query, mostly.

    Others may choose the same one: only one of them will take it, and each still has
    the message of its own row to come.

    Args:
        kind: Of what.
        pk: The row of the message.
        held: What this worker has loaded: values of `loads`.
        now: When.
    """
    first = _candidates(kind, pk, held, now).first()
    if first is None or first == pk:
        return pk
    passed = kind._default_manager.filter(pk=pk, state=State.QUEUED)
    if passed.update(passed_at=Coalesce("passed_at", now)):
        dispatch.wake(kind, [pk], now=now)
    return first


def _candidates(
    kind: type[Loading], pk: int, held: Collection[str], now: datetime
) -> QuerySet[Loading, int]:
    """Keys of waiting rows, the one to take first. None if the row itself waits not."""
    rows = kind._default_manager.order_by()
    own = rows.filter(pk=pk, state=State.QUEUED)
    running = rows.filter(state=State.RUNNING, lease_until__gt=now)
    mine, model = Q(pk=pk), ~Q(loads="")
    loaded = Q(loads__in=held)
    elsewhere = Q(loads__in=running.exclude(loads="").values("loads"))
    rank = Case(
        When(Q(passed_at__lte=now - PATIENCE), then=0),
        When(mine & (loaded | ~model), then=1),
        When(loaded, then=2),
        When(mine & ~elsewhere, then=3),
        When(model & ~elsewhere, then=4),
        When(mine, then=5),
        default=Value(None),
    )
    # One that waits for the storage would be chosen again and again.
    due = mine | Q(lease_until=None) | Q(lease_until__lte=now)
    free = rows.filter(due, state=State.QUEUED, attempt__lt=ATTEMPTS)
    waiting = free.filter(queue__in=own.values("queue"))
    ranked = waiting.annotate(rank=rank).filter(rank__isnull=False)
    first = ranked.order_by("rank", F("passed_at").asc(nulls_last=True), "pk")
    return first.values_list("pk", flat=True)
