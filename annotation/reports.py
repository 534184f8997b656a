"""Reports: a worker says that something is wrong with a text, a person looks at it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.models import Report, Seat

MAX_CHARACTERS = 2000  # of a reason; who writes more is cut, not refused


class BadReport(ValueError):
    """The page has no such text, or nothing is said about it. Nothing is saved."""


def report(*, seat: Seat, position: int, reason: str, now: datetime) -> Report:
    """Put a text of the page before the researchers. Locks the seat.

    Who reports the same text again adds to what they said; a double click adds nothing.

    Raises:
        BadReport: If there is no text at `position`, from 1, or the reason is empty.
    """
    reason = reason.replace("\x00", "").strip()[:MAX_CHARACTERS]
    if not 1 <= position <= len(seat.order):
        raise BadReport(f"Expected a text from 1 to {len(seat.order)}, got {position}.")
    if not reason:
        raise BadReport("Say what is wrong with the text.")
    with transaction.atomic():
        # One seat's reports come in turn: there is at most one for each of its texts.
        Seat.objects.select_for_update(no_key=True).get(pk=seat.pk)
        found, is_new = Report.objects.get_or_create(
            seat=seat,
            item_id=seat.order[position - 1],
            defaults={"reason": reason, "reported_at": now},
        )
        if not is_new and reason not in found.reason:
            found.reason = f"{found.reason}\n{reason}"[:MAX_CHARACTERS]
            found.save(update_fields=["reason"])
    return found
