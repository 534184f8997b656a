"""Apply a check over all pages of a worker to their earlier pages, too.

Random or constant answers are detected only after some pages. So when a check over all
pages (`checking.REACHING`) changes its result, earlier pages judged by the same policy
get new verdicts: discarded pages open their places for others, and pages discarded only
by such a check count again where a place is open. Pages judged by another version or by
a person keep their verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from annotation import events
from annotation.models import Policy, Seat, Verdict, Worker
from annotation.models.surveys import pseudonym
from annotation.quality import blocking, rejudging
from annotation.quality.checking import (
    ALL_PAGES,
    BY_HAND,
    REACHING,
    Opinion,
    titles,
)


class MoreLocks(Exception):
    """Earlier pages change: begin again, and lock the places of all their surveys.

    Locking them on top of those of one survey could make others wait in a circle.
    """


def due(verdict: Verdict) -> dict[int, Opinion]:
    """What the verdict on a new page changes for earlier ones, by seat. One query."""
    policy = verdict.policy
    if policy.chance_odds is None and policy.same_pages is None:
        return {}
    failing = [name for name in REACHING if name in _failed(verdict)]
    found = {}
    for earlier in _newest(verdict):
        if earlier.policy_id != policy.pk or BY_HAND in earlier.numbers:
            continue
        opinion = _again(earlier, verdict, failing)
        if opinion.valid != earlier.valid:
            found[earlier.seat_id] = opinion
    return found


def reach_back(
    *, worker: Worker, policy: Policy, opinions: Mapping[int, Opinion], now: datetime
) -> None:
    """Give earlier pages new verdicts, move them, and block their worker if due.

    Args:
        worker: Locked, with the places of all surveys that they sat at.
        policy: The one that judged these pages.
        opinions: Of `due`, not empty.
        now: When.
    """
    seats = list(rejudging.in_order(worker.seats.filter(pk__in=opinions)))
    for seat in seats:
        seat.worker = worker
    rejudging.write(policy, opinions, now)
    rejudging.move(seats, opinions, now)
    n_lost = sum(not opinion.valid for opinion in opinions.values())
    events.log(
        study=worker.study,
        verb="judged-again",
        now=now,
        about=pseudonym(worker.study, worker.pk),
        detail=f"{n_lost} earlier pages discarded, {len(seats) - n_lost} valid again",
    )
    pages = rejudging.in_order(worker.seats.filter(state__in=Seat.FINISHED))
    discarded = [seat.state == Seat.State.DISCARDED for seat in pages]
    blocking.block_if_due(worker=worker, discarded=discarded, policy=policy, now=now)


def _newest(verdict: Verdict) -> list[Verdict]:
    """The verdicts in force on the other pages of the worker."""
    seats = Seat.objects.filter(
        worker=verdict.seat.worker_id, state__in=Seat.FINISHED
    ).exclude(pk=verdict.seat_id)
    rows = Verdict.objects.filter(seat__in=seats).order_by("pk")
    return list({row.seat_id: row for row in rows}.values())


def _again(earlier: Verdict, latest: Verdict, failing: list[str]) -> Opinion:
    """The earlier verdict, with what the latest one says of all pages."""
    own = [name for name in _failed(earlier) if name not in REACHING]
    failed = [name for name in titles() if name in {*own, *failing}]
    numbers = {**earlier.numbers, "failed": failed}
    for key in (ALL_PAGES, "odds", "same_pages", "all_pages"):
        numbers.pop(key, None)
        if key in latest.numbers:
            numbers[key] = latest.numbers[key]
    if not failed:
        del numbers["failed"]
        return Opinion(True, "", numbers)
    reason = earlier.reason if own else latest.numbers[ALL_PAGES]
    return Opinion(False, reason, numbers)


def _failed(verdict: Verdict) -> list[str]:
    return list(verdict.numbers.get("failed", []))
