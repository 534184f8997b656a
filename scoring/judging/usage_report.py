"""What was asked for a run or a trial: how much, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    Count,
    ExpressionWrapper,
    Max,
    Q,
    QuerySet,
)

from scoring.endpoints import admission
from scoring.judging import call_log
from scoring.judging.ledger import LIMIT_REACHED
from scoring.models import JudgeCall, JudgeTrial, MetricRun

Row = MetricRun | JudgeTrial
WINDOW = timedelta(seconds=60)  # over which calls per minute are counted
SAID_APART = 5000  # problems in different words
LONGEST_KIND, LONGEST_EXAMPLE = 100, 600  # characters
ENOUGH = 0.05  # share of the work, from which the rest can be told
COLUMNS = (
    *("id", "made_at", "endpoint", "model_asked", "model_answered", "fingerprint"),
    *("prompt_hash", "parameters", "sample", "attempt", "status", "finish_reason"),
    *("tokens_in", "tokens_out", "milliseconds", "problem", "answer"),
)


class Spent(NamedTuple):
    """How much was asked so far, and how much may be."""

    row: Row
    per_minute: float | None  # calls, of late
    problems: int  # calls
    expected: int | None  # calls of all the work, as it went so far
    seconds_left: float | None  # at this rate
    reached: bool  # the limit

    @property
    def too_little(self) -> bool:
        """Whether the limit will be reached before the work is done."""
        most = self.row.most_calls
        return bool(self.expected and most and self.expected > most)


class Problem(NamedTuple):
    """Calls without a score, of one kind."""

    kind: str
    n: int
    example: str  # what the server sent, bounded
    status: int | None


def asks(row: Row) -> bool:
    """Whether it asks a judge over the network."""
    return row.most_calls is not None


def spent(
    row: Row, *, share: float, now: datetime, planned: int | None = None
) -> Spent:
    """What a run or a trial spent. Two queries.

    Args:
        row: The run or the trial.
        share: Of its work that is done.
        now: The time.
        planned: Calls that it takes if none fails and no answer is there yet.
    """
    calls = calls_of(row)
    recent = calls.filter(made_at__gt=now - WINDOW)
    of_late = recent.aggregate(n=Count("pk"), last=Max("made_at"))
    ran = now - row.started_at if row.started_at else timedelta(0)
    minutes = min(ran, WINDOW).total_seconds() / 60
    is_measured = minutes > 0 and not _ended(row) and of_late["n"]
    per_minute = of_late["n"] / minutes if is_measured else None
    expected = round(row.n_calls / share) if share >= ENOUGH else None
    # What went so far has no call for an answer that was there.
    in_all = expected if expected else (planned or 0) - row.n_kept
    left = 60 * (in_all - row.n_calls) / per_minute if per_minute else 0.0
    return Spent(
        row,
        per_minute,
        calls.exclude(problem="").count(),
        expected,
        left if left > 0 else None,
        reached(row),
    )


def reached(row: Row) -> bool:
    """Whether it stopped because of its limit."""
    if not _ended(row) or not asks(row):
        return False
    messages = (LIMIT_REACHED, admission.AT_ONCE, *admission.LIMITS_REACHED)
    return any(map(says_so, row.notes)) or any(
        message in row.error for message in messages
    )


def says_so(note: str) -> bool:
    """Whether a note says that the limit was reached."""
    return note.startswith(LIMIT_REACHED)


def problems(row: Row) -> list[Problem]:
    """By kind, the most frequent first. Two queries."""
    calls = calls_of(row).exclude(problem="").order_by()
    is_test = ExpressionWrapper(Q(sample=call_log.PROBE), BooleanField())
    calls = calls.annotate(is_test=is_test)
    counted = calls.values("problem", "is_test").annotate(
        n=Count("pk"), example=Max("pk")
    )
    numbers: dict[str, int] = {}
    examples: dict[str, int] = {}
    for group in counted.order_by("-n", "problem", "is_test")[:SAID_APART]:
        kind = _kind(group["problem"])
        if group["is_test"]:
            kind = f"test question: {kind}"
        numbers[kind] = numbers.get(kind, 0) + group["n"]
        examples.setdefault(kind, group["example"])
    calls_by_id = JudgeCall.objects.in_bulk(examples.values())
    return [
        Problem(
            kind,
            numbers[kind],
            calls_by_id[examples[kind]].answer[:LONGEST_EXAMPLE],
            calls_by_id[examples[kind]].status,
        )
        for kind in sorted(numbers, key=lambda kind: -numbers[kind])
    ]


def table(row: Row) -> Iterator[list[Any]]:
    """All calls, the first line with names. Read a few at a time."""
    yield list(COLUMNS)
    for values in calls_of(row).order_by("pk").values_list(*COLUMNS).iterator(500):
        yield [
            value.isoformat() if isinstance(value, datetime) else value
            for value in values
        ]


def calls_of(row: Row) -> QuerySet[JudgeCall]:
    is_trial = isinstance(row, JudgeTrial)
    return JudgeCall.objects.filter(**{"trial" if is_trial else "run": row})


def _ended(row: Row) -> bool:
    return row.state in MetricRun.ENDED


def _kind(problem: str) -> str:
    """Without what differs from call to call."""
    if problem.startswith("the numbers "):
        return "the numbers of the scale have too little of the probability"
    return problem.partition(":")[0][:LONGEST_KIND]
