"""Wake workers up. A broker that is away costs time, not work: the row is the truth."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import Task
from kombu.exceptions import ChannelError, OperationalError

log = logging.getLogger(__name__)


def wake(task: Task, ids: Iterable[int]) -> list[int]:
    """Send a message for each id, and return those that the broker has taken."""
    sent = []
    try:
        for pk in ids:
            task.delay(pk)
            sent.append(pk)
    except (OperationalError, ChannelError, OSError) as error:
        log.warning("the broker does not take messages: %s", error)
    return sent
