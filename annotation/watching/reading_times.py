"""How long a page was read: in view, by the clock, characters per second. No query."""

from __future__ import annotations

from datetime import timedelta

from annotation.models import Seat, Worker
from annotation.watching.figures import Figure

NOT_MEASURED = "not measured: the worker's browser sent no reading times"
DELETED = "deleted: the worker took their answers back"


def seconds(seat: Seat, position: int) -> Figure:
    """Of one text, or of one pair. Reads the seat's worker."""
    if not seat.visible:
        return Figure(None, _why_not_measured(seat))
    found = seat.visible.get(str(position))
    if found is None:
        return Figure(None, "never in view, as far as the browser could tell")
    return Figure(found / 1000)


def total(seat: Seat) -> Figure:
    """Of the page, in view."""
    found = seat.seconds_in_view
    return Figure(found, _why_not_measured(seat) if found is None else "")


def minutes(seat: Seat) -> Figure:
    """From the start of the page to its submission."""
    if seat.submitted_at is None:
        gone = seat.worker.state == Worker.State.WITHDRAWN
        return Figure(None, DELETED if gone else "not submitted")
    spent: timedelta = seat.submitted_at - seat.claimed_at
    return Figure(spent.total_seconds() / 60)


def speed(characters: int, seconds: Figure) -> Figure:
    """Characters per second."""
    if seconds.value is None:
        return seconds
    if not seconds.value:
        return Figure(None, "in view for less than a millisecond")
    return Figure(characters / seconds.value)


def _why_not_measured(seat: Seat) -> str:
    gone = seat.worker.state == Worker.State.WITHDRAWN
    return DELETED if gone else NOT_MEASURED
