"""By which of their pages workers are caught."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import scipy  # loads scipy.stats, which takes a second, when it is first used

from annotation.models import Seat, Verdict, Worker

PAGES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Caught:
    """Of the workers who came as far as a page, or were stopped before it."""

    page: int
    caught: int  # whose every page so far is discarded
    workers: int

    @property
    def share(self) -> float | None:
        return self.caught / self.workers if self.workers else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share."""
        return wilson(self.caught, self.workers)


def wilson(k: int, n: int) -> tuple[float, float] | None:
    """Of a share; None of nothing."""
    if not n:
        return None
    low, high = scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
    return float(low), float(high)


def by_page(workers: Mapping[Worker, str]) -> dict[str, list[Caught]]:
    """By kind of worker: how many are caught by their 1st, 2nd, 4th and 8th page.

    Args:
        workers: With their kinds; all of one study.
    """
    seats: dict[int, list[Seat]] = defaultdict(list)
    finished = Seat.objects.filter(worker__in=workers, state__in=Seat.FINISHED)
    for seat in finished.order_by("submitted_at", "pk"):
        seats[seat.worker_id].append(seat)
    verdicts: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in Verdict.objects.filter(seat__in=finished).order_by("pk"):
        verdicts[verdict.seat_id].append(verdict)
    found: dict[str, list[Caught]] = {}
    for kind in dict.fromkeys(workers.values()):
        some = [worker for worker, own in workers.items() if own == kind]
        found[kind] = [
            _caught(page, [(w, seats[w.pk]) for w in some], verdicts) for page in PAGES
        ]
    return found


def _caught(
    page: int,
    workers: Sequence[tuple[Worker, list[Seat]]],
    verdicts: Mapping[int, list[Verdict]],
) -> Caught:
    n = caught = 0
    for worker, seats in workers:
        first = seats[:page]
        stopped = worker.state == Worker.State.BLOCKED
        if not first or (len(first) < page and not stopped):
            continue
        n += 1
        at = first[-1].submitted_at
        assert at is not None  # they are finished
        caught += all(_discarded(verdicts[seat.pk], at) for seat in first)
    return Caught(page, caught, n)


def _discarded(verdicts: Sequence[Verdict], at: datetime) -> bool:
    """By the newest verdict of that time."""
    return not [v for v in verdicts if v.judged_at <= at][-1].valid
