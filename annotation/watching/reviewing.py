"""Texts that researchers read: some stay, some count no more.

Any text can be excluded, whether it came from a file or is on a page, whether or
not a worker reported it. Its page and its ratings stay, and it can be included again.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet

from annotation import events, storable
from annotation.models import Generation, Report, Study

MAX_CHARACTERS = 500  # of a reason


class ReviewError(ValueError):
    """This cannot be done with the text. The message says what can."""


def exclude(*, text: Generation, reason: str, user: User, now: datetime) -> None:
    """Leave the text out of all statistics, and resolve what was reported of it.

    Raises:
        ReviewError: Without a reason, or if the text is excluded.
    """
    if not (reason := storable.cleaned(reason).strip()[:MAX_CHARACTERS]):
        raise ReviewError("Enter a reason for excluding the text. The log keeps it.")
    with transaction.atomic():
        if (locked := _lock(text)).excluded_at is not None:
            raise ReviewError(
                f"{text.key} is excluded already. To change the reason, include it"
                " and exclude it again."
            )
        locked.excluded_at, locked.excluded_reason = now, reason
        _read(locked, user, now)
        _resolve(text, Report.State.EXCLUDED, reason, user, now)
        _log(text, "excluded-text", reason, user, now)


def include(*, text: Generation, note: str, user: User, now: datetime) -> None:
    """Count an excluded text again.

    Raises:
        ReviewError: If the text is not excluded, or has no words to rate.
    """
    note = storable.cleaned(note).strip()[:MAX_CHARACTERS]
    with transaction.atomic():
        if (locked := _lock(text)).excluded_at is None:
            raise ReviewError(f"{text.key} is not excluded, so it counts already.")
        if not locked.text:
            raise ReviewError(
                f"{text.key} has no text: its system gave no output, so people have"
                " nothing to rate. Metrics count it already."
            )
        locked.excluded_at, locked.excluded_reason = None, ""
        _read(locked, user, now)
        _resolve(text, Report.State.KEPT, note, user, now)
        _log(text, "included-text", note, user, now)


def about(text: Generation | OuterRef) -> Q:
    """Reports of the text, or of a pair that it stands in."""
    pair = Q(item__pair__first=text) | Q(item__pair__second=text)
    return Q(item__generation=text) | pair


def mark_read(*, text: Generation, user: User, now: datetime) -> None:
    """Note that a researcher has read the text and let it stay. Twice is as once."""
    Generation.objects.filter(pk=text.pk, reviewed_at=None).update(
        reviewed_at=now, reviewed_by=user
    )


def unread(*, study: Study) -> QuerySet[Generation]:
    """The texts that no researcher has marked as read."""
    return study.generations.filter(reviewed_at=None)


def n_read(*, study: Study) -> tuple[int, int]:
    """How many texts were read, and how many there are. Two queries."""
    total = study.generations.count()
    return total - unread(study=study).count(), total


def _lock(text: Generation) -> Generation:
    rows = Generation.objects.select_for_update(no_key=True, of=("self",))
    return rows.get(pk=text.pk)


def _read(locked: Generation, user: User, now: datetime) -> None:
    if locked.reviewed_at is None:
        locked.reviewed_at, locked.reviewed_by = now, user
    locked.save(
        update_fields=["excluded_at", "excluded_reason", "reviewed_at", "reviewed_by"]
    )


def _resolve(
    text: Generation, state: str, words: str, user: User, now: datetime
) -> None:
    rows = Report.objects.filter(about(text))
    if state == Report.State.KEPT:  # unless the other text of a pair is excluded
        texts = ("item__pair__first", "item__pair__second")
        rows = rows.filter(**{f"{text}__excluded_at": None for text in texts})
    rows.update(state=state, resolution=words, resolved_by=user, resolved_at=now)


def _log(text: Generation, verb: str, detail: str, user: User, now: datetime) -> None:
    events.log(
        study=text.study, verb=verb, now=now, user=user, about=text.key, detail=detail
    )
