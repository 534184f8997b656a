"""Seats as pages list them."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from annotation.models import Seat, Study, Verdict
from annotation.models.surveys import pseudonym


def seats_in(*states: str) -> Count:
    return Count("seats", filter=Q(seats__state__in=states))


def told(study: Study, seats: QuerySet[Seat]) -> list[Seat]:
    """The seats with the newest reason, the worker's code and the minutes spent."""
    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    found: list[Seat] = list(
        seats.annotate(reason=Subquery(newest.values("reason")[:1]))
    )
    for seat in found:
        # For templates, which read attributes.
        seat.pseudonym = pseudonym(study, seat.worker_id)  # type: ignore[attr-defined]
        seat.minutes = minutes_of(_spent(seat))  # type: ignore[attr-defined]
    return found


def _spent(seat: Seat) -> timedelta | None:
    return seat.submitted_at - seat.claimed_at if seat.submitted_at else None


def minutes_of(time: timedelta | None) -> float | None:
    return None if time is None else time.total_seconds() / 60
