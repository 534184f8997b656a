"""Wake workers up. A broker that is away costs time, not work: the row is the truth."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from evalapp.queue import beats, leases
from evalapp.queue.models import Leased

log = logging.getLogger(__name__)

UNANSWERED = timedelta(seconds=60)  # then a message counts as lost
SENT_AT_ONCE = 1000
SENT_AGAIN = 16  # lost messages for each worker that has nothing to do


def wake(kind: type[Leased], ids: Iterable[int], *, now: datetime) -> None:
    """Send a message for each row, and note those that the broker has taken."""
    sent, ids = [], list(ids)
    others = kind.tasks(ids) if ids else {}
    try:
        for pk in ids:
            send(others.get(pk, kind.TASK), pk)
            sent.append(pk)
    except (OperationalError, ChannelError, OSError) as error:
        log.warning("the broker does not take messages: %s", error)
    kind._default_manager.filter(pk__in=sent).update(sent_at=now)


def wake_on_commit(kind: type[Leased], ids: Iterable[int]) -> None:
    """So no worker ever looks for a row that it cannot see yet."""
    transaction.on_commit(lambda: wake(kind, list(ids), now=timezone.now()))


def send(task: str, pk: int) -> None:
    """By the task's name: what queues work need not import what does it."""
    current_app.send_task(task, [pk])


def reap(*, now: datetime) -> None:
    """Bring back what dead workers and lost messages left. Safe to do twice at once."""
    leases.requeue_expired(now=now)
    for kind in leases.kinds():
        queued = kind._default_manager.filter(state=Leased.State.QUEUED)
        unsent = queued.filter(sent_at=None).order_by("pk")
        wake(kind, list(unsent.values_list("pk", flat=True)[:SENT_AT_ONCE]), now=now)
        lost = queued.filter(sent_at__lte=now - UNANSWERED)
        if lost.exists() and (idle := beats.idle(now=now)):
            # Only while someone has nothing to do: behind busy workers a message may
            # well wait for hours, and sending it again would flood the broker.
            ids = lost.order_by("sent_at", "pk").values_list("pk", flat=True)
            wake(kind, list(ids[: SENT_AGAIN * idle]), now=now)


def forget_messages() -> None:
    """A worker that died may have taken messages that it never came to."""
    for kind in leases.kinds():
        queued = kind._default_manager.filter(state=Leased.State.QUEUED)
        queued.update(sent_at=None)
