"""Runs as background work: a worker does a chunk, people see the whole run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce

from evalapp import storage
from evalapp.work import retries
from evalapp.work.kinds import Work
from evalapp.work.progress import Progress
from evalapp.work.retries import Clock
from scoring import metrics
from scoring.judging import ledger
from scoring.metrics import UnknownMetric
from scoring.models import Chunk, MetricRun
from scoring.runs import ending, figures, loading, starting, worker
from scoring.runs.worker import CURABLE, OtherContents, Report, run_of


class RunWork(Work[Chunk, MetricRun]):
    """Score a chunk.

    What a user can cure ends the whole run at once, and so does a storage that is away
    for good: each of its chunks would wait for a day of its own.
    """

    name = "runs"
    model = Chunk
    related = ("run__study", "run__corpus", "system")
    final = (*CURABLE, OtherContents)
    refusals = (starting.RunError,)

    def rows(self) -> QuerySet[Chunk]:
        return super().rows().filter(checkpoint=None)

    def columns(self, now: datetime) -> dict[str, Any]:
        return {"done_items": 0, "passed_at": None}

    def loaded(self) -> Collection[str]:
        return loading.held()

    def begin(self, row: Chunk, clock: Clock) -> None:
        queued = MetricRun.objects.filter(
            pk=run_of(row).pk, state=MetricRun.State.QUEUED
        )
        queued.update(state=MetricRun.State.RUNNING, started_at=clock())

    def report(self, row: Chunk, clock: Clock) -> Report:
        return Report(row, clock)

    def run(self, row: Chunk, report: Report) -> None:
        worker.score(row, report)

    def end(self, row: Chunk, error: Exception | None, clock: Clock) -> None:
        run = run_of(row)
        if isinstance(error, (*CURABLE, retries.Gone, retries.NotAllowed)):
            text = retries.told(error)
            ending.fail_queued(run_id=run.pk, error=text, now=clock())
        elif error and not isinstance(error, (OtherContents, storage.Away)):
            loading.forget_all()
        ending.end_run(run_id=run.pk, now=clock())

    def words(self, job: Any) -> str:
        texts = "damaged texts" if job.on == MetricRun.On.NEGATIVES else "texts"
        try:
            title = metrics.get(job.metric).title
        except UnknownMetric:  # its file is gone
            title = job.metric
        return f"Scoring {job.n_texts:,} {texts} with {title}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[MetricRun]:
        runs = MetricRun.objects.filter(study=study, imported=None)
        runs = runs.select_related("study", "corpus")
        return runs.annotate(n_texts=Coalesce(Sum("chunks__total_items"), 0))

    def progress_of(
        self, jobs: Sequence[MetricRun], *, now: datetime | None = None
    ) -> dict[int, Progress]:
        return figures.progress_of(jobs, now=now)

    def cancel(self, job: MetricRun) -> None:
        starting.cancel(run=job)

    def retry(self, job: MetricRun, *, user: Any = None) -> None:
        starting.retry(run=job, user=user)

    def why_no_retry(self, job: MetricRun) -> str:
        return ledger.NOT_BY_PROGRAM if job.agreed_at else ""


RUNS = RunWork()
