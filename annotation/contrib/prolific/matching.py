"""Submissions at Prolific beside the workers here: what each of them is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction

from annotation.contrib.prolific import budget, drafting, prolific
from annotation.contrib.prolific.prolific import Sent
from annotation.crowd.prolific_client import Client
from annotation.models import BonusBatch, BonusLine, Recruitment, Study, Submission
from annotation.models.surveys import pseudonym
from annotation.watching import payments


class Row(NamedTuple):
    """A submission as its page shows it."""

    submission: Submission
    pseudonym: str
    pages: int  # submitted
    paid: int  # of those
    due: int | None  # beyond the reward, not sent yet; None: the study pays nothing
    is_rejectable: bool


def refresh(*, study: Study, client: Client, now: datetime) -> Recruitment:
    """Ask Prolific for everything: state, submissions, cost. Changes nothing there.

    Raises:
        RecruitingError: The study is not there.
        CallError: There is no usable answer; nothing is kept of half of one.
    """
    row = drafting.known(study)
    found = prolific.study(client, row.prolific_id)
    sent = prolific.submissions(client, row.prolific_id)
    spent = prolific.cost(client, row.prolific_id)
    with transaction.atomic():
        locked = Recruitment.objects.select_for_update().get(pk=row.pk)
        drafting.note(locked, found, now)
        locked.unmatched = _keep(locked, sent)
        locked.counts, locked.cost = dict(Counter(one.status for one in sent)), spent
        locked.save(update_fields=["unmatched", "counts", "cost"])
        budget.settle_places(locked)
    return locked


def _keep(row: Recruitment, sent: Iterable[Sent]) -> int:
    """Store those of our workers; return how many belong to nobody here.

    People who are not known here, or whose data was deleted, cannot be matched.
    """
    workers = dict(row.study.workers.values_list("external_id", "pk"))
    rows, unmatched = [], 0
    for one in sent:
        if one.participant not in workers:
            unmatched += 1
            continue
        rows.append(
            Submission(
                recruitment=row,
                worker_id=workers[one.participant],
                prolific_id=one.id,
                status=one.status,
                bonus=one.bonus,
            )
        )
    Submission.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["recruitment", "prolific_id"],
        update_fields=["worker", "status", "bonus"],
    )
    return unmatched


def table(*, study: Study, row: Recruitment) -> list[Row]:
    """Everyone who came from Prolific and is kept. Four queries."""
    dues = {due.worker: due for due in payments.dues(study=study)}
    owed = owed_by_worker(study=study, row=row)
    refused = {due.worker for due in payments.rejected(dues.values())}
    found = []
    for one in row.submissions.all():
        due = dues.get(one.worker_id)
        found.append(
            Row(
                submission=one,
                pseudonym=pseudonym(study, one.worker_id),
                pages=due.pages if due else 0,
                paid=due.paid if due else 0,
                due=owed.get(one.worker_id, 0) if study.pay_per_page else None,
                is_rejectable=not study.pay_unused
                and one.worker_id in refused
                and one.status == prolific.AWAITING,
            )
        )
    return found


def owed_by_worker(*, study: Study, row: Recruitment) -> dict[int, int]:
    """Bonuses in the smallest unit that nothing has been sent for yet.

    What was paid by hand at Prolific counts as well: the larger of what went out from
    here and what Prolific knows is taken off.
    """
    if row.reward is None:
        return {}
    reward = Decimal(row.reward) / 100
    found = payments.bonuses(
        payments.dues(study=study), per_page=study.pay_per_page, reward=reward
    )
    sent, there = Counter[int](), Counter[int]()
    lines = BonusLine.objects.filter(
        batch__recruitment=row, batch__state__in=BonusBatch.COMMITTED
    )
    for worker, amount in lines.values_list("worker", "amount"):
        sent[worker or 0] += amount
    for worker, bonus in row.submissions.values_list("worker", "bonus"):
        there[worker] += bonus or 0
    left = {
        one.due.worker: int(one.amount * 100)
        - max(sent[one.due.worker], there[one.due.worker])
        for one in found
    }
    return {worker: amount for worker, amount in left.items() if amount > 0}
