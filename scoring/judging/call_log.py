"""Each call is a row, and what was answered before is used again.

The row is committed before the answer is scored. An answer of any run of this study
counts, and of studies that all its members may see, if it is whole and its key is the
same (`scoring.endpoints.call_records.key`); that the network failed counts within the
run, so that the successor of a killed worker does not begin from the first attempt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db.models import Q

from annotation.models import Study
from scoring.endpoints import call_records, text_requests
from scoring.models import JudgeCall, JudgeIdentity, JudgeTrial, MetricRun

Call = call_records.Call
Earlier = call_records.Earlier
PROBE = 0  # the sample


def save(row: MetricRun | JudgeTrial, calls: Iterable[Call], *, now: datetime) -> None:
    """Write calls, and who answered. Call it in a transaction."""
    calls = list(calls)
    whose = {"trial": row} if isinstance(row, JudgeTrial) else {"run": row}
    JudgeCall.objects.bulk_create(
        JudgeCall(**whose, made_at=now, **_storable(call)) for call in calls
    )
    answered = [call for call in calls if call.status == 200 and not call.problem]
    tests = [call for call in answered if _is_test(call)]
    # Each once, as no statement may write a row twice.
    _meet({_who(call): call for call in answered}.values(), now)
    _meet({_who(call): call for call in tests}.values(), now, also=["parameters"])


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
    reusable = open_to(row.study) & Q(status=200, sample__gt=PROBE)
    by_key: dict[str, list[Earlier]] = {}
    rows = JudgeCall.objects.filter(mine | reusable, key__in=keys).order_by("pk")
    fields = ("key", "attempt", "status", "answer", "problem", "made_at")
    for key, attempt, status, answer, problem, made_at, whose in rows.values_list(
        *fields, "trial_id" if is_trial else "run_id"
    ):
        is_mine = whose == row.pk and (since is None or made_at >= since)
        call = Earlier(attempt, status, answer, problem, is_mine)
        by_key.setdefault(key, []).append(call)
    return by_key


def open_to(study: Study) -> Q:
    """Calls whose answers a study may use.

    Among all, a stranger would learn that exactly this text was judged elsewhere, and
    use what others have paid for.
    """
    open_studies = Study.objects.open_to_all_of(study).values("pk")
    here = Q(run__study=study) | Q(trial__study=study)
    return here | Q(run__study__in=open_studies) | Q(trial__study__in=open_studies)


def _storable(call: Call) -> dict[str, object]:
    """PostgreSQL stores no null byte, which half a character ends in, too."""
    return {
        name: value.replace("\0", "�") if isinstance(value, str) else value
        for name, value in asdict(call).items()
    }


def _is_test(call: Call) -> bool:
    """Whether it shows what the server takes of a question in a chat."""
    return call.sample == PROBE and not text_requests.asks_for_texts(call.parameters)


def _who(call: Call) -> tuple[str, ...]:
    answered = call.model_answered or "", call.fingerprint or ""
    return call.endpoint, call.model_asked, *answered


def _meet(calls: Collection[Call], now: datetime, also: Sequence[str] = ()) -> None:
    if not calls:
        return
    fields = ("endpoint", "model_asked", "model_answered", "fingerprint")
    JudgeIdentity.objects.bulk_create(
        [
            JudgeIdentity(
                **dict(zip(fields, _who(call), strict=True)),
                parameters=call.parameters if also else "",
                first_seen=now,
                last_seen=now,
            )
            for call in calls
        ],
        update_conflicts=True,
        unique_fields=list(fields),
        update_fields=["last_seen", *also],
    )
