"""Names and addresses of people who were written to: deleted by hand, or in time."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from annotation import events, studies
from annotation.models import Invite, Mail, Recipient, Study
from evalapp.work import deferred_deletion

# A study that keeps platform ids for ever does not keep addresses so long.
DAYS_KEPT = 30


def forget(*, study: Study, now: datetime, user: User | None = None) -> int:
    """Delete all names and addresses of a study; return how many. Mails that wait are
    not sent any more."""
    with transaction.atomic():
        kept = study.recipients.filter(~Q(address="") | ~Q(name=""))
        n = kept.forget()
        Invite.objects.filter(recipient__study=study).update(name="")
        if n:
            events.log(
                study=study,
                verb="forgot-addresses",
                now=now,
                user=user,
                detail=f"{n} {'address' if n == 1 else 'addresses'} deleted",
            )
    return n


def forget_old(*, now: datetime, at_once: bool = False) -> int:
    """Of studies that were closed so long ago that nobody should be written to.

    Args:
        now: By a clock that agrees with the database's.
        at_once: A person asks for it. Else only what was due a day ago, too.
    """
    listed = Study.objects.exclude(recipients=None).distinct()
    due = studies.closed_for(listed, days_kept, now=now)
    sure = (
        set(due) if at_once else deferred_deletion.confirmed("addresses", due, now=now)
    )
    return sum(forget(study=due[key], now=now) for key in sorted(sure))


def days_kept(study: Study) -> int:
    return min(study.retention_days or DAYS_KEPT, DAYS_KEPT)


def refuse(*, recipient: Recipient, now: datetime) -> None:
    """They do not want to be written to. Twice is the same as once."""
    with transaction.atomic():
        rows = Recipient.objects.filter(pk=recipient.pk, refused_at=None)
        rows.forget(refused_at=now)
        Invite.objects.filter(recipient=recipient).update(name="")
        waiting = Mail.objects.filter(recipient=recipient, state=Mail.State.WAITING)
        waiting.update(state=Mail.State.FAILED, error="wants no more emails")
