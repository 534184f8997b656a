"""Approve who is due, and reject by hand: `watching.payments` decides who may be."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.contrib.auth.models import User
from django.db.models import Q

from annotation import events, storable
from annotation.contrib.prolific import budget, drafting, matching, prolific
from annotation.contrib.prolific.errors import RecruitingError
from annotation.contrib.prolific.prolific import MOST_AT_ONCE
from annotation.crowd.prolific_client import Client, Refused
from annotation.models import Study, Submission
from annotation.models.surveys import pseudonym
from annotation.watching import payments

# Prolific approves in the background: who was sent waits so long before they may be
# sent again. Approving twice pays once.
ON_THE_WAY = timedelta(minutes=10)


def due(*, study: Study, now: datetime) -> list[Submission]:
    """Those that await a review, have a paid page, and are not on their way."""
    paid = {one.worker for one in payments.approved(payments.dues(study=study))}
    waiting = Submission.objects.filter(
        _rests(now), recruitment__study=study, status=prolific.AWAITING
    )
    return [one for one in waiting if one.worker_id in paid]


def approve(
    *, study: Study, client: Client, now: datetime, user: User | None = None
) -> int:
    """Approve the next of those who are due; return how many.

    Asks Prolific first who is still waiting. Records who is approved before sending it.

    Raises:
        RecruitingError, CallError: See the message.
    """
    budget.check_permission(user)
    row = matching.refresh(study=study, client=client, now=now)
    chosen = due(study=study, now=now)[:MOST_AT_ONCE]
    mine = [one for one in chosen if _take(one, now)]
    if not mine:
        return 0
    detail = f"{len(mine)} {'submission' if len(mine) == 1 else 'submissions'}"
    log = partial(events.log, study=study, now=now, user=user, detail=detail)
    log(verb="approving-at-prolific")
    try:
        prolific.approve(client, [one.prolific_id for one in mine])
    except Refused:
        keys = [one.pk for one in mine]
        row.submissions.filter(pk__in=keys).update(approval_sent_at=None)
        raise
    log(verb="approved-at-prolific")
    return len(mine)


def reject(
    *,
    study: Study,
    submission: Submission,
    category: str,
    reason: str,
    client: Client,
    now: datetime,
    user: User,
) -> None:
    """Reject one submission, for a reason that its person reads.

    Raises:
        RecruitingError: The study pays for such work, or the reason is too short.
        CallError: Prolific did not do it, or may have.
    """
    reason = storable.cleaned(reason).strip()
    if study.pay_unused:
        raise RecruitingError(
            "This study pays for pages that are not used, so nobody is rejected."
        )
    refused = payments.rejected(payments.dues(study=study))
    if submission.worker_id not in {one.worker for one in refused}:
        raise RecruitingError("This person has a paid page, so they are not rejected.")
    if submission.status != prolific.AWAITING:
        raise RecruitingError(f"This submission is {submission.status.lower()}.")
    if category not in prolific.CATEGORIES:
        raise RecruitingError("Choose why the submission is rejected.")
    if len(reason) < prolific.SHORTEST_REASON:
        raise RecruitingError(
            f"Prolific asks for a reason of at least {prolific.SHORTEST_REASON}"
            f" characters, and this has {len(reason)}. The person reads it."
        )
    drafting.known(study)
    events.log(
        study=study,
        verb="rejecting-at-prolific",
        now=now,
        user=user,
        about=pseudonym(study, submission.worker_id),
        detail=f"{prolific.CATEGORIES[category]}: {reason}",
    )
    prolific.reject(client, submission.prolific_id, category, reason[:1000])
    Submission.objects.filter(pk=submission.pk).update(status=prolific.REJECTED)


def _rests(now: datetime) -> Q:
    return Q(approval_sent_at=None) | Q(approval_sent_at__lte=now - ON_THE_WAY)


def _take(one: Submission, now: datetime) -> bool:
    """Whether nobody else sends it at this moment."""
    same = Submission.objects.filter(_rests(now), pk=one.pk)
    return same.update(approval_sent_at=now) == 1
