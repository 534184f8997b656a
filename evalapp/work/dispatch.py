"""Wake workers up. A broker that is away costs time, not work: the row is the truth."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from celery import current_app
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from evalapp.work import heartbeats, leases
from evalapp.work.models import Leased

log = logging.getLogger(__name__)

UNANSWERED = timedelta(seconds=60)  # then a message counts as lost
SENT_AT_ONCE = 1000
SENT_AGAIN = 16  # lost messages for each worker that has nothing to do
STRANDED = timedelta(minutes=10)  # unanswered where nobody takes messages any more


def wake(kind: type[Leased], ids: Iterable[int], *, now: datetime) -> None:
    """Send a message for each row, and note those that the broker has taken."""
    sent, ids = [], list(ids)
    if not ids:
        return
    rows = kind._default_manager.filter(pk__in=ids).order_by()
    queue_of = dict(rows.values_list("pk", "queue"))
    place_of = heartbeats.places(now=now, of=queue_of.values())
    try:
        for pk in ids:
            if pk in queue_of:  # else it was deleted meanwhile
                send(kind.TASK, pk, place_of[queue_of[pk]])
                sent.append(pk)
    except (OperationalError, ChannelError, OSError, *_of_library()) as error:
        log.warning("the broker does not take messages: %s", error)
    kind._default_manager.filter(pk__in=sent).update(sent_at=now)


def _of_library() -> tuple[type[Exception], ...]:
    """What the broker's own library raises: kombu wraps a part of it only.

    RabbitMQ that is shut down by hand refuses with an error of this kind, and whoever
    had just started a run was answered 500.
    """
    line = current_app.connection_for_write()
    return (*line.connection_errors, *line.channel_errors)


def wake_on_commit(kind: type[Leased], ids: Iterable[int]) -> None:
    """So no worker ever looks for a row that it cannot see yet."""
    transaction.on_commit(lambda: wake(kind, list(ids), now=timezone.now()))


def send(task: str, pk: int, queue: str) -> None:
    """By the task's name: what queues work need not import what does it."""
    current_app.send_task(task, [pk], queue=queue)


def reap(*, now: datetime) -> None:
    """Bring back what dead workers and lost messages left. Safe to do twice at once."""
    leases.requeue_expired(now=now)
    for kind in leases.kinds():
        queued = kind._default_manager.filter(state=Leased.State.QUEUED)
        due = Q(lease_until=None) | Q(lease_until__lte=now)
        unsent = queued.filter(due, sent_at=None).order_by("pk")
        wake(kind, list(unsent.values_list("pk", flat=True)[:SENT_AT_ONCE]), now=now)
        lost = queued.filter(sent_at__lte=now - UNANSWERED)
        for queue in set(lost.order_by().values_list("queue", flat=True).distinct()):
            _send_again(kind, queue, queued.filter(queue=queue), now=now)


def _send_again(
    kind: type[Leased], queue: str, queued: QuerySet[Leased], *, now: datetime
) -> None:
    """Only while someone who does such work has nothing to do, or a few are stranded.

    Behind busy workers, and where nobody takes them, a message may well wait for hours,
    and sending it again would flood the broker.
    """
    most, lost = SENT_AGAIN * heartbeats.idle(now=now, queue=queue), UNANSWERED
    if not most:
        most, lost = _room_elsewhere(queue, queued, now), STRANDED
    if most > 0:
        rows = queued.filter(sent_at__lte=now - lost).order_by("sent_at", "pk")
        wake(kind, list(rows.values_list("pk", flat=True)[:most]), now=now)


def _room_elsewhere(queue: str, queued: QuerySet[Leased], now: datetime) -> int:
    """How many to send to those who stand in for a queue that nobody takes any more.

    They may stay busy with work of their own, and would never come to what waits in
    the queue of before. Those sent lately wait where they are: see `queues.STANDS_IN`.
    """
    if heartbeats.places(now=now, of=[queue])[queue] == queue:
        return 0
    return SENT_AGAIN - queued.filter(sent_at__gt=now - STRANDED).count()


def forget_messages() -> None:
    """A worker that died may have taken messages that it never came to."""
    for kind in leases.kinds():
        queued = kind._default_manager.filter(state=Leased.State.QUEUED)
        queued.update(sent_at=None)
