"""4. Keep the results of analyses; have a worker compute them again when data change.

Pages ask for a result and get the newest there is at once, with the time it is of.
Nothing is computed while someone waits for a page.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation import votes
from annotation.models import Study
from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Refused, Work
from evalapp.work.retries import Report
from scoring import analyses
from scoring.models import Analysis
from scoring.results import plan as planning
from scoring.results import stars, study_arrays
from scoring.scores import references
from scoring.stats.data import Filters

State = Analysis.State
# What someone looked at lately is kept fresh, at most so often.
SEEN_LATELY = timedelta(hours=24)
REST = timedelta(minutes=2)
FORGOTTEN = timedelta(days=30)


def find(*, study: Study, name: str, options: Filters, now: datetime) -> Analysis:
    """The row with the newest result, if any; a worker is woken up where it is old.

    A result by another version of the analysis than the one that runs now is none.
    A locked plan says which texts are compared, unless the options do.

    A handful of small queries.
    """
    options = planning.with_grouping(study=study, options=options)
    stamp = stamps_of(study=study)[name]
    row, is_new = Analysis.objects.get_or_create(
        study=study,
        name=name,
        digest=digest_of(options),
        defaults={"options": _plain(options), "wanted": stamp},
    )
    Analysis.objects.filter(pk=row.pk).update(seen_at=now)
    if is_new:
        wake_on_commit(Analysis, [row.pk])
    elif row.wanted != stamp and not _kills(row):
        _ask(row, stamp)
        row.refresh_from_db()
    if row.result and row.result["made_of"]["version"] != analyses.get(name).VERSION:
        row.result = None  # by other code: pages may not know its parts any more
    return row


def anything(*, study: Study) -> bool:
    """Whether there is something to analyse: texts, or votes on systems."""
    return study.generations.exists() or votes.reading.any_of(study=study)


def refresh(*, now: datetime) -> None:
    """Queue what was looked at lately and has aged. Safe to do twice; few queries."""
    seen = Analysis.objects.filter(state=State.DONE, seen_at__gt=now - SEEN_LATELY)
    rested = seen.filter(computed_at__lte=now - REST).select_related("study")
    rested = rested.filter(study__storing=None)  # half of a file says nothing
    by_study: dict[int, list[Analysis]] = {}
    for row in rested.defer("result"):
        by_study.setdefault(row.study_id, []).append(row)
    for rows in by_study.values():
        stamps = stamps_of(study=rows[0].study)
        for row in rows:
            if row.stamp != stamps.get(row.name, row.stamp):
                _ask(row, stamps[row.name])


def forget(*, now: datetime) -> None:
    """Delete results that nobody has looked at for long: options make many."""
    Analysis.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def fresh(row: Analysis) -> bool:
    """Whether its result is of the data as they are."""
    return row.result is not None and row.stamp == row.wanted


class AnalysisWork(Work[Analysis, Analysis]):
    """Compute one analysis."""

    name = "analyses"
    model = Analysis
    related = ("study",)
    again = False  # the same statistics of the same data would fail in the same way

    def run(self, row: Analysis, report: Report) -> None:
        start = time.monotonic()
        # Taken before the data: what comes in meanwhile makes the result an old one.
        stamp = stamps_of(study=row.study)[row.name]
        references.drop_outdated(study=row.study)
        result = result_of(study=row.study, name=row.name, options=row.options)
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

    def words(self, job: Analysis) -> str:
        return f"Computing {analyses.get(job.name).TITLE}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Analysis]:
        rows = Analysis.objects.filter(study=study).select_related("study")
        return rows.defer("result")

    def retry(self, job: Analysis, *, user: Any = None) -> None:
        """Of the data as they are now."""
        if job.state not in (State.FAILED, State.CANCELLED):
            raise Refused.unless_stopped(job)
        _ask(job, stamps_of(study=job.study)[job.name])
        job.refresh_from_db()


ANALYSES = AnalysisWork()


def result_of(
    *, study: Study, name: str, options: Mapping[str, object]
) -> dict[str, object]:
    """Compute an analysis here and now: what workers, commands and bundles do."""
    import scipy.linalg  # noqa: F401 - only libraries that are there are limited
    from threadpoolctl import threadpool_limits

    needs = analyses.get(name).NEEDS
    data = study_arrays.load(study=study, needs=needs)
    if {"ratings", "scores"} <= needs:
        stars.record(study=study, data=data, now=timezone.now())
    chosen = analyses.options(name, options)
    chosen = planning.with_grouping(study=study, options=chosen)
    # Its many small products gain nothing from more threads, which spin while they wait
    # for each other: where the cores are wanted, five times the work.
    with threadpool_limits(1):
        return analyses.run(name, data, chosen)


def stamps_of(*, study: Study) -> dict[str, str]:
    """Of each analysis: changes with ratings, scores, votes and with its version."""
    data = study_arrays.stamp(study=study)
    return {
        name: _digest(f"{analyses.get(name).VERSION}/{data}")
        for name in analyses.names()
    }


def stamp_of_all(*, study: Study) -> str:
    """Changes when the stamp of any analysis does."""
    return _digest("/".join(stamps_of(study=study).values()))


def digest_of(options: Filters) -> str:
    """Names options: equal options, equal digest."""
    return _digest(analyses.canonical(options))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _kills(row: Analysis) -> bool:
    """Whether each worker that took it died: only a person may queue it again."""
    return row.state == State.FAILED and row.attempt >= leases.ATTEMPTS


def _ask(row: Analysis, stamp: str) -> None:
    """Queue it, unless a worker is at it: that result will be found old later."""
    same = Analysis.objects.filter(pk=row.pk)
    same.update(wanted=stamp)
    ended = same.filter(state__in=Analysis.ENDED)
    if ended.update(**leases.QUEUED, attempt=0, error=""):
        wake_on_commit(Analysis, [row.pk])


def _plain(options: Filters) -> dict[str, object]:
    return {key: _json(value) for key, value in vars(options).items()}


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
