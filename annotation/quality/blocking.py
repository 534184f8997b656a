"""A worker with too many discarded pages gets no more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation import events
from annotation.careless import rules
from annotation.models import Policy, Seat, Worker
from annotation.models.surveys import pseudonym


def block_if_due(
    *, worker: Worker, discarded: Sequence[bool], policy: Policy, now: datetime
) -> bool:
    """Give an active worker no more pages if too many of theirs were discarded.

    Args:
        worker: Locked.
        discarded: Their pages, oldest first.
        policy: Says how many are too many.
        now: From when on.
    """
    after, within = policy.block_after, policy.block_within
    if worker.state != Worker.State.ACTIVE or after is None:
        return False
    if not rules.is_blocked(discarded, after, within):
        return False
    pages = f"the last {within} pages" if within else f"{len(discarded)} pages"
    worker.state = Worker.State.BLOCKED
    worker.state_reason = f"{after} of {pages} were discarded."
    worker.state_at = now
    worker.save(update_fields=["state", "state_reason", "state_at"])
    events.log(
        study=worker.study,
        verb="blocked-worker",
        now=now,
        about=pseudonym(worker.study, worker.pk),
        detail=worker.state_reason,
    )
    return True


def discarded_before(seat: Seat) -> list[bool]:
    """Of the worker's other pages, oldest first."""
    rows = seat.worker.seats.filter(state__in=Seat.FINISHED).exclude(pk=seat.pk)
    states = rows.order_by("submitted_at", "pk").values_list("state", flat=True)
    return [state == Seat.State.DISCARDED for state in states]
