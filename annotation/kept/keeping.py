"""Work out what a page shows: at once for a small study, by a worker for a large one.

100,000 texts with ten ratings of each are millions of rows: to read them all takes a
minute. The page then shows what was found last, with the time it is of, and a worker
is asked to work newer ratings in.
"""

from __future__ import annotations

import time
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from annotation import human_scores
from annotation.kept import encoding
from annotation.models import Annotation, Generation, Seat, Study, Summary
from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Report

T = TypeVar("T")
State = Summary.State
STOPPED = (State.FAILED, State.CANCELLED)

# By name, since what works them out stands above this file. Each takes a study and a
# variant, and says by its annotation what it returns. The number is raised where that
# changes, so that pages never meet a result in another form.
SUMMARIES: dict[str, tuple[str, int]] = {
    "figures": ("annotation.watching.figures_of_all.figures", 2),
    "filled": ("annotation.watching.figures_of_all.filled", 2),
    "damages": ("annotation.watching.figures_of_all.damages", 1),
    "attention": ("annotation.watching.attention.of_pages", 1),
    "raters": ("annotation.watching.raters.of_ids", 1),
    "stopping": ("annotation.watching.stopping.found", 2),
    "quality": ("annotation.quality.done.done", 1),
    "preview": ("annotation.quality.previewing.preview", 1),
    "standings": ("annotation.human_scores.standing.standings", 1),
    "ranked": ("scoring.results.ranked.ranked", 1),
    "copied": ("scoring.results.copied.of_large", 1),
}
# What tells whether one is old, where it is not made of ratings.
STAMPS = {
    "ranked": "scoring.results.ranked.stamp",
    "copied": "scoring.results.copied.stamp",
}

# More of one of these is a large study: with fewer, a page takes half a second.
MOST_TEXTS, MOST_PAGES, MOST_RATINGS = 20_000, 1_500, 50_000
# A summary is worked out again at most so often, and at most a tenth of the time.
REST, REST_TIMES = timedelta(minutes=1), 10
FORGOTTEN = timedelta(days=30)
# It would mostly fail in the same way; but a database that was away is back by then.
AFTER_FAILURE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """What a page shows, or why there is nothing to show yet."""

    value: T | None
    at: datetime | None = None  # None: of now
    fresh: bool = True  # else newer ratings are being worked in
    error: str = ""
    no_worker: bool = False  # nobody is there to work it out

    @property
    def is_old(self) -> bool:
        return self.value is not None and not self.fresh


def read(
    *, study: Study, name: str, variant: str = "", now: datetime | None = None
) -> Kept[Any]:
    """What is known. Works it out if that is quick, else asks a worker where it is old.

    Ten small queries, however large the study is.
    """
    if not is_large(study):
        return Kept(_function(name)(study, variant))
    now, stamp = now or timezone.now(), _stamp(study, name)
    row, is_new = Summary.objects.get_or_create(
        study=study, name=name, variant=variant, defaults={"wanted": stamp}
    )
    if is_new:
        wake_on_commit(Summary, [row.pk])
    elif (row.wanted != stamp or row.state in STOPPED) and _has_rested(row, now):
        _ask(row, stamp)
        row.refresh_from_db()
    fresh = row.stamp == stamp
    waits = not fresh and row.state in Summary.UNFINISHED
    return Kept(
        value=_value(row),
        at=row.computed_at,
        fresh=fresh,
        error=_why_stopped(row),
        no_worker=waits and SUMMARY_WORK.progress(row, now=now).no_worker,
    )


def is_large(study: Study) -> bool:
    """Whether a page cannot work everything out while someone waits.

    Counts no further than it has to, and once for a study that a request has read.
    """
    if (found := vars(study).get(_IS_LARGE)) is None:
        found = any(
            rows.order_by()[most : most + 1].exists() for rows, most in _sizes(study)
        )
        setattr(study, _IS_LARGE, found)
    return bool(found)


_IS_LARGE = "_is_large"


def _sizes(study: Study) -> Iterator[tuple[QuerySet[Any], int]]:
    """What there may be many of, and how many make a large study."""
    yield Generation.objects.filter(study=study), MOST_TEXTS
    pages = Seat.objects.filter(worker__study=study, state__in=Seat.FINISHED)
    yield pages, MOST_PAGES
    yield Annotation.objects.filter(imported__study=study), MOST_RATINGS


def forget(*, now: datetime) -> None:
    """Delete what is old: each pair of systems, each page of workers has its own."""
    before = now - FORGOTTEN
    old = Q(computed_at__lt=before) | Q(computed_at=None, finished_at__lt=before)
    Summary.objects.filter(old).delete()


class SummaryWork(Work[Summary, Summary]):
    """Work a summary out."""

    name = "summaries"
    model = Summary
    related = ("study",)
    again = False  # the same figures of the same data would fail in the same way

    def run(self, row: Summary, report: Report) -> None:
        start = time.monotonic()
        # Taken before the data: what comes in meanwhile makes the result an old one.
        stamp = _stamp(row.study, row.name)
        result = encoding.plain(_function(row.name)(row.study, row.variant))
        now = report.clock()
        leases.finish(
            row,
            now=now,
            result=result,
            stamp=stamp,
            wanted=stamp,
            computed_at=now,
            seconds=time.monotonic() - start,
        )

    def words(self, job: Summary) -> str:
        return f"Working out figures of {job.study}: {job.name}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Summary]:
        rows = Summary.objects.filter(study=study).select_related("study")
        return rows.defer("result")


SUMMARY_WORK = SummaryWork()


def _stamp(study: Study, name: str) -> str:
    if name in STAMPS:
        return f"{SUMMARIES[name][1]}/{import_string(STAMPS[name])(study)}"
    last = study.events.aggregate(last=Max("pk"))["last"]
    ratings = human_scores.stamp(study=study)
    return f"{SUMMARIES[name][1]}/{ratings}/{last}/{study.ratings_per_text}"


def _value(row: Summary) -> Any:
    version = f"{SUMMARIES[row.name][1]}/"
    if row.result is None or not row.stamp.startswith(version):
        return None
    kind = typing.get_type_hints(_function(row.name))["return"]
    return encoding.typed(kind, row.result)


def _function(name: str) -> Callable[[Study, str], Any]:
    found: Callable[[Study, str], Any] = import_string(SUMMARIES[name][0])
    return found


def _why_stopped(row: Summary) -> str:
    if row.state == State.CANCELLED:
        return "they were cancelled."
    return row.error if row.state == State.FAILED else ""


def _has_rested(row: Summary, now: datetime) -> bool:
    if row.state in STOPPED:
        return row.finished_at is None or now - row.finished_at >= AFTER_FAILURE
    if row.computed_at is None:
        return True
    took = timedelta(seconds=REST_TIMES * (row.seconds or 0))
    return now - row.computed_at >= max(REST, took)


def _ask(row: Summary, stamp: str) -> None:
    """Queue it, unless a worker is at it: that result will be found old later."""
    same = Summary.objects.filter(pk=row.pk)
    same.update(wanted=stamp)
    ended = same.filter(state__in=Summary.ENDED)
    if ended.update(**leases.QUEUED, attempt=0, error=""):
        wake_on_commit(Summary, [row.pk])
