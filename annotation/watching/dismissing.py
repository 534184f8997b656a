"""Take an entry off the list of what needs attention, and bring it back.

It stays off for as long as nothing new is found of it: another reason, a graver one,
one more report. Whoever rates is told nothing, and nothing else changes.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events, storable
from annotation.models import Dismissal, Study
from annotation.watching import attention
from annotation.watching.attention import Subject

MAX_CHARACTERS = 500  # of a reason


class DismissalError(ValueError):
    """The entry cannot be dismissed or brought back. The message says why."""


def dismiss(
    *, study: Study, entry: str, reason: str, user: User, now: datetime
) -> Subject:
    """Take an entry off the list, for a reason that the log keeps.

    Raises:
        DismissalError: Without a reason, or if the list has no such entry.
    """
    if not (reason := storable.cleaned(reason).strip()[:MAX_CHARACTERS]):
        raise DismissalError("Enter a reason for dismissing this. The log keeps it.")
    listed = {one.entry: one for one in attention.read(study=study).subjects}
    if (subject := listed.get(entry)) is None:
        raise DismissalError("This entry is no longer on the list.")
    seen = {one.kind: [int(one.severity), len(one.seats)] for one in subject.findings}
    with transaction.atomic():
        Dismissal.objects.update_or_create(
            study=study,
            entry=entry,
            defaults={"seen": seen, "reason": reason, "by": user, "at": now},
        )
        _log(study, "dismissed-attention", subject.name, reason, user, now)
    return subject


def bring_back(*, study: Study, entry: str, user: User, now: datetime) -> Subject:
    """Put an entry on the list again.

    Raises:
        DismissalError: If it is not dismissed.
    """
    hidden = {one.entry: one for one in attention.read(study=study).dismissed}
    if (subject := hidden.get(entry)) is None:
        raise DismissalError("This entry is not dismissed.")
    with transaction.atomic():
        study.dismissals.filter(entry=entry).delete()
        _log(study, "brought-back-attention", subject.name, "", user, now)
    return subject


def _log(
    study: Study, verb: str, about: str, detail: str, user: User, now: datetime
) -> None:
    events.log(study=study, verb=verb, now=now, user=user, about=about, detail=detail)
