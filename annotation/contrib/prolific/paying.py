"""Bonuses: set up, looked at by a person, then paid by one request that is sent once.

Prolific says of its request to pay: "not idempotent", sent twice it pays twice. So

- at most one batch of a study is open, by a constraint of the database;
- who pays first takes the batch from READY to PAYING by one conditional UPDATE, and
  only the one who did sends the request, which is never repeated;
- an answer that does not come leaves it UNKNOWN. Then Prolific is asked what people
  have got; a person may say that nothing went out only after an hour without a trace.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation import events
from annotation.contrib.prolific import budget, matching, prolific
from annotation.contrib.prolific.errors import RecruitingError
from annotation.contrib.prolific.prolific import MOST_AT_ONCE
from annotation.crowd.prolific_client import CallError, Client, Refused, Unknown
from annotation.models import BonusBatch, BonusLine, Recruitment, Study

State = BonusBatch.State

ID = re.compile(r"\b[0-9a-f]{24}\b", re.I)  # of a person, or of anything at Prolific
# Longer than the request may take: then its process has died.
STALE = timedelta(minutes=2)
# Prolific pays "in the following minutes".
SHOWN_BY = timedelta(hours=1)
UNKNOWN = (
    "Prolific gave no answer, so the bonuses may be paid or not. Nothing is sent again."
    " Check with Prolific in some minutes."
)


class Check(NamedTuple):
    """What Prolific shows of a batch whose outcome is not known."""

    seen: int  # people who have got it
    nameable: int
    people: int

    @property
    def is_paid(self) -> bool:
        return 0 < self.nameable == self.seen


def set_up(
    *, study: Study, client: Client, now: datetime, user: User | None = None
) -> BonusBatch:
    """Tell Prolific of the bonuses that are due. Nothing is paid by it.

    Raises:
        RecruitingError: Nobody is due, or another batch is not finished.
        BudgetError: They may not spend.
        CallError: Prolific did not do it. Nothing is paid, whatever became of it.
    """
    budget.check_permission(user)
    row = matching.refresh(study=study, client=client, now=now)
    batch = _write_down(study, row, now, user)
    amounts = [
        (line.submission.prolific_id, line.amount)
        for line in batch.lines.select_related("submission")
        if line.submission
    ]
    try:
        found = prolific.set_up_bonuses(client, row.prolific_id, amounts)
    except CallError as error:
        # What was set up there and is unknown here can never be paid.
        _move(batch, State.SETTING_UP, State.DROPPED, error=_kept(error))
        raise
    known = {"amount": found.amount, "fees": found.fees, "total": found.total}
    _move(batch, State.SETTING_UP, State.READY, prolific_id=found.id, **known)
    batch.refresh_from_db()
    return batch


def pay(
    *, batch: BonusBatch, total: str, client: Client, now: datetime, user: User
) -> None:
    """Pay a batch that is ready, once.

    Args:
        batch: Which.
        total: What the person has read that it costs: `agreed` of the batch.
        client: With the token.
        now: When.
        user: Who pays.

    Raises:
        RecruitingError: It is not ready: another person may have paid it.
        BudgetError: They may not spend, or it would pass a ceiling.
        Refused: Prolific did not do it; it is ready again.
        Unknown: It may be paid. `check` finds out.
    """
    if total != agreed(batch):
        raise RecruitingError("The amounts have changed. Read them again, then pay.")
    budget.check_permission(user)
    _take(batch, now, user)
    _log(batch, "paying-bonuses", now, user, f"sent: {agreed(batch)}")
    try:
        prolific.pay_bonuses(client, batch.prolific_id)
    except Refused as error:
        with transaction.atomic():
            if _move(batch, State.PAYING, State.READY, error=_kept(error)):
                budget.release_bonuses(batch, now)
        _log(batch, "bonuses-refused", now, user, _kept(error))
        raise
    except BaseException as error:
        # Whatever it was: it may have arrived.
        _move(batch, State.PAYING, State.UNKNOWN, error=UNKNOWN)
        if isinstance(error, Unknown):
            raise Unknown(UNKNOWN) from error
        raise
    _move(batch, State.PAYING, State.PAID, error="")
    _log(batch, "paid-bonuses", now, user, agreed(batch))


def _take(batch: BonusBatch, now: datetime, user: User) -> None:
    """The batch and the money for it, both or neither."""
    sent = {"sent_at": now, "sent_by": user, "error": ""}
    with transaction.atomic():
        if not _move(batch, State.READY, State.PAYING, **sent):
            raise RecruitingError("Somebody has paid this already, or dropped it.")
        budget.hold_bonuses(batch, now)


def check(*, batch: BonusBatch, client: Client, now: datetime) -> Check:
    """Ask Prolific what people have got, where the outcome is not known.

    Raises:
        RecruitingError: The outcome is known.
        CallError: There is no usable answer.
    """
    found = is_stale(batch, now)
    if batch.state != State.UNKNOWN and not found:
        raise RecruitingError("The outcome of these bonuses is known.")
    if found:
        _move(batch, State.PAYING, State.UNKNOWN, error=UNKNOWN)
    study = batch.recruitment.study
    matching.refresh(study=study, client=client, now=now)
    lines = list(batch.lines.select_related("submission"))
    named = [one for one in lines if one.submission]
    seen = sum(_is_seen(one) for one in named)
    result = Check(seen, len(named), len(lines))
    if result.is_paid:
        _move(batch, State.UNKNOWN, State.PAID, error="")
        _log(batch, "found-bonuses-paid", now, None, agreed(batch))
    return result


def drop(*, batch: BonusBatch, now: datetime, user: User) -> None:
    """Do not pay what is set up, or say that an unknown batch was not paid.

    Raises:
        RecruitingError: It may still be paid, or is.
    """
    before = State(batch.state)
    if before == State.UNKNOWN:
        _refuse_unless_unpaid(batch, now)
    elif before == State.SETTING_UP and now - batch.made_at < STALE:
        raise RecruitingError("It is being set up right now. Wait two minutes.")
    elif before not in (State.SETTING_UP, State.READY):
        raise RecruitingError(f"These bonuses are {batch.get_state_display().lower()}.")
    with transaction.atomic():
        if not _move(batch, before, State.DROPPED):
            raise RecruitingError("Somebody else was faster. Look again.")
        if before == State.UNKNOWN and batch.sent_at:
            budget.release_bonuses(batch, batch.sent_at)
    said = "a person says that nothing was paid" if before == State.UNKNOWN else ""
    _log(batch, "dropped-bonuses", now, user, said)


def agreed(batch: BonusBatch) -> str:
    """What it costs, as a person reads it and agrees to it."""
    lines, currency = batch.lines.values_list("amount"), batch.recruitment.currency
    amount = prolific.in_units(sum(one for (one,) in lines))
    people = f"{len(lines)} {'person' if len(lines) == 1 else 'people'}"
    if batch.total is None:
        return f"{people}, {amount} {currency}, and fees that Prolific does not say"
    total = prolific.in_units(batch.total)
    return f"{people}, {amount} {currency}, with fees {total} {currency}"


def is_stale(batch: BonusBatch, now: datetime) -> bool:
    """Whether the process that sent the request must have died."""
    sent = batch.sent_at
    return batch.state == State.PAYING and sent is not None and now - sent > STALE


def may_say_unpaid(batch: BonusBatch, now: datetime) -> bool:
    return batch.sent_at is not None and now - batch.sent_at >= SHOWN_BY


def _refuse_unless_unpaid(batch: BonusBatch, now: datetime) -> None:
    checked = batch.recruitment.checked_at
    if not may_say_unpaid(batch, now):
        raise RecruitingError("Prolific may still pay these. Wait for an hour.")
    if checked is None or now - checked > SHOWN_BY:
        raise RecruitingError("Check with Prolific first.")
    if any(_is_seen(one) for one in batch.lines.select_related("submission")):
        raise RecruitingError("Prolific shows some of these bonuses, so they are paid.")


def _write_down(
    study: Study, row: Recruitment, now: datetime, user: User | None
) -> BonusBatch:
    """Who gets how much, before anything is sent."""
    if row.currency and row.currency != study.currency:
        raise RecruitingError(
            f"Prolific pays in {row.currency}, and this study in {study.currency}, so"
            " no amount is sent. Pay by hand."
        )
    try:
        with transaction.atomic():
            # Of two at once, the second finds the batch of the first.
            locked = Recruitment.objects.select_for_update().get(pk=row.pk)
            owed = matching.owed_by_worker(study=study, row=locked)
            lines = _lines(locked, owed)
            if not lines:
                raise RecruitingError(
                    "No bonus is due to anyone whose submission is approved."
                )
            batch = BonusBatch.objects.create(
                recruitment=locked, made_at=now, made_by=user
            )
            for line in lines:
                line.batch = batch
            BonusLine.objects.bulk_create(lines)
    except IntegrityError as error:
        raise RecruitingError(
            "Bonuses are set up already: pay or drop them first."
        ) from error
    _log(batch, "set-up-bonuses", now, user, f"{len(lines)} people")
    return batch


def _lines(row: Recruitment, owed: dict[int, int]) -> list[BonusLine]:
    """One for each person whose work is approved. A bonus that we cannot read of is
    none that we could check afterwards."""
    approved = row.submissions.filter(status=prolific.APPROVED, bonus__isnull=False)
    found: dict[int, BonusLine] = {}
    for one in approved:
        if one.worker_id in owed and one.worker_id not in found:
            found[one.worker_id] = BonusLine(
                worker_id=one.worker_id,
                submission=one,
                amount=owed[one.worker_id],
                before=one.bonus or 0,
            )
    return list(found.values())[:MOST_AT_ONCE]


def _is_seen(line: BonusLine) -> bool:
    one = line.submission
    if one is None or one.bonus is None:
        return False
    return one.bonus >= line.before + line.amount


def _move(batch: BonusBatch, before: str, after: str, **more: Any) -> bool:
    """From one state to another; False if it is not in the first."""
    if "error" in more:
        more["error"] = more["error"][:500]
    same = BonusBatch.objects.filter(pk=batch.pk, state=before)
    return same.update(state=after, **more) == 1


def _kept(error: CallError) -> str:
    """Its words without ids: those of people would outlive the retention time."""
    return ID.sub("[id]", str(error))


def _log(
    batch: BonusBatch, verb: str, now: datetime, user: User | None, detail: str
) -> None:
    events.log(
        study=batch.recruitment.study,
        verb=verb,
        now=now,
        user=user,
        about=f"bonuses {batch.pk}",
        detail=detail,
    )
