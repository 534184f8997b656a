"""Each call is a row, and what was answered before is used again.

The row is committed before the answer is scored. An answer of any run counts, if it is
whole and its key is the same (`scoring.metrics._judge.records.key`); that the network
failed counts within the run, so that the successor of a killed worker does not begin
from the first attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db.models import Q

from scoring.metrics import judge_records
from scoring.models import JudgeCall, JudgeIdentity, JudgeTrial, MetricRun

Call, Earlier = judge_records.Call, judge_records.Earlier
PROBE = 0  # the sample


def save(row: MetricRun | JudgeTrial, calls: Iterable[Call], *, now: datetime) -> None:
    """Write calls, and who answered a probe. Call it in a transaction."""
    calls = list(calls)
    whose = {"trial": row} if isinstance(row, JudgeTrial) else {"run": row}
    JudgeCall.objects.bulk_create(
        JudgeCall(**whose, made_at=now, **_storable(call)) for call in calls
    )
    for call in calls:
        if call.sample == PROBE and not call.problem:
            _meet(call, now)


def earlier(
    row: MetricRun | JudgeTrial, keys: Sequence[str], *, since: datetime | None
) -> dict[str, list[Earlier]]:
    """What was asked before, by key and in order. One query.

    Args:
        row: The run or the trial that asks.
        keys: Of the questions.
        since: When the row was started, the last time: failures from before do not
            count.
    """
    is_trial = isinstance(row, JudgeTrial)
    mine = Q(trial=row) if is_trial else Q(run=row)
    if since:
        mine &= Q(made_at__gte=since)
    # Another run's probe says nothing about who answers now.
    others = Q(status=200, sample__gt=PROBE)
    found: dict[str, list[Earlier]] = {}
    rows = JudgeCall.objects.filter(mine | others, key__in=keys).order_by("pk")
    fields = ("key", "attempt", "status", "answer", "problem", "made_at")
    for key, attempt, status, answer, problem, made_at, whose in rows.values_list(
        *fields, "trial_id" if is_trial else "run_id"
    ):
        is_mine = whose == row.pk and (since is None or made_at >= since)
        one = Earlier(attempt, status, answer, problem, is_mine)
        found.setdefault(key, []).append(one)
    return found


def _storable(call: Call) -> dict[str, object]:
    """PostgreSQL stores no null byte, which half a character ends in, too."""
    return {
        name: value.replace("\0", "�") if isinstance(value, str) else value
        for name, value in asdict(call).items()
    }


def _meet(call: Call, now: datetime) -> None:
    JudgeIdentity.objects.bulk_create(
        [
            JudgeIdentity(
                endpoint=call.endpoint,
                model_asked=call.model_asked,
                model_answered=call.model_answered or "",
                fingerprint=call.fingerprint or "",
                first_seen=now,
                last_seen=now,
            )
        ],
        update_conflicts=True,
        unique_fields=["endpoint", "model_asked", "model_answered", "fingerprint"],
        update_fields=["last_seen"],
    )
