"""Pages that were judged, as single ratings need them: some values, no instances."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from annotation.models import Seat, Study, Verdict
from annotation.models.surveys import seconds_in_view
from scoring.archive.permission import JUDGED


@dataclass(frozen=True, slots=True)
class Page:
    """One worker's answers to one survey."""

    number: int  # from 1, in the order in which pages were begun
    survey: int  # its number
    worker: int  # id: for codes, never told
    state: str
    reason: str
    informed: bool
    order: list[int]  # ids of items
    seconds: float | None
    consent: str  # digest of the words agreed to


def pages(study: Study) -> dict[int, Page]:
    """By id of the seat. One query."""
    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    seats = Seat.objects.filter(survey__study=study, state__in=JUDGED).order_by("pk")
    rows = seats.annotate(why=Subquery(newest.values("reason")[:1])).values_list(
        *("pk", "survey__number", "worker_id", "state", "why", "informed", "order"),
        *("visible", "claimed_at", "submitted_at", "consent"),
    )
    found = {}
    for number, row in enumerate(rows, start=1):
        pk, survey, worker, state, why, informed, order = row[:7]
        found[pk] = Page(
            *(number, survey, worker, state, why or "", informed, order),
            seconds=seconds_in_view(*row[7:10]),
            consent=row[10],
        )
    return found
