"""Runs that were asked for together, or while others were at work: one progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from annotation.models import Study
from evalapp.work.progress import Progress
from scoring.models import MetricRun
from scoring.runs import figures, starting

MOST = 100  # runs that are looked at, the newest
SHOWN_FOR = timedelta(minutes=30)  # after the last one has ended

State = MetricRun.State


@dataclass(frozen=True, slots=True)
class Together:
    """How far they are, the first one first."""

    runs: list[tuple[MetricRun, Progress]]
    seconds_left: float | None  # None: not known
    workers: int  # alive, of all studies; of the work that has the fewest
    untaken: list[str]  # queues that no worker takes, and where some of it waits

    def count(self, *states: str) -> int:
        return sum(run.state in states for run, _ in self.runs)

    @property
    def total(self) -> int:
        return len(self.runs)

    @property
    def done(self) -> int:
        return self.count(State.DONE)

    @property
    def failed(self) -> int:
        return self.count(State.FAILED)

    @property
    def cancelled(self) -> int:
        return self.count(State.CANCELLED)

    @property
    def share(self) -> float:
        """Of the work: each run counts the same, as far as it is."""
        if not self.runs:
            return 1.0
        shares = [1.0 if run.ended else seen.share for run, seen in self.runs]
        return sum(shares) / len(shares)

    @property
    def ended(self) -> bool:
        return all(run.ended for run, _ in self.runs)


# Seconds that a run may take that has given no text yet.
Expected = Callable[[MetricRun], float | None]


def latest(*, study: Study, expected: Expected, now: datetime) -> Together | None:
    """The runs since the study's queue was last empty; None if that is long ago.

    Three queries, and those of `expected` for each run that has not begun.
    """
    newest = study.runs.filter(chunks__isnull=False).distinct()
    rows = list(newest.select_related("study", "corpus").order_by("-pk")[:MOST])
    chosen = _since_last_idle(rows)
    if not chosen:
        return None
    ends = [run.finished_at for run in chosen if run.finished_at]
    if len(ends) == len(chosen) and now - max(ends) > SHOWN_FOR:
        return None
    seen = figures.progress_of(chosen, now=now)
    waited_for = [seen[run.pk] for run in _left_of(chosen)]
    workers = min(one.workers for one in waited_for)
    left = [_left(run, seen[run.pk], expected, now) for run in chosen if not run.ended]
    known = [one for one in left if one is not None]
    return Together(
        [(run, seen[run.pk]) for run in chosen],
        # Workers share what is queued, chunk by chunk.
        sum(known) / max(1, workers) if len(known) == len(left) else None,
        workers,
        sorted({one.queue for one in waited_for if not one.workers}),
    )


def _left_of(runs: Sequence[MetricRun]) -> Sequence[MetricRun]:
    """Those that have not ended; all where none is left."""
    return [run for run in runs if not run.ended] or runs


def cancel_all(*, study: Study) -> int:
    """Cancel every run of the study that has not ended, in one transaction."""
    with transaction.atomic():
        runs = list(study.runs.exclude(state__in=MetricRun.ENDED).order_by("pk"))
        for run in runs:
            starting.cancel(run=run)
    return len(runs)


def _since_last_idle(newest_first: Sequence[MetricRun]) -> list[MetricRun]:
    """Those of which each was asked for before the ones before it had ended."""
    chosen: list[MetricRun] = []
    for run in newest_first:
        begun = min((one.created_at for one in chosen), default=None)
        if begun and run.finished_at and run.finished_at < begun:
            break
        chosen.append(run)
    return chosen[::-1]


def _left(
    run: MetricRun, seen: Progress, expected: Expected, now: datetime
) -> float | None:
    if seen.seconds_left is not None:
        return seen.seconds_left
    if (seconds := expected(run)) is None:
        return None
    # The first texts wait for the metric to be loaded.
    spent = (now - run.started_at).total_seconds() if run.started_at else 0.0
    return max(1.0, seconds - spent)
