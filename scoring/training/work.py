"""Trainings as background work: a worker does a slice, people see the training."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from evalapp.work.kinds import Work
from evalapp.work.progress import Progress
from evalapp.work.retries import Clock
from scoring.metrics import MetricError, OptionError, UnknownMetric
from scoring.models import Checkpoint, Chunk
from scoring.runs import loading
from scoring.training import starting, worker
from scoring.training.worker import Report


class TrainingWork(Work[Chunk, Checkpoint]):
    """Do a slice of a training, and queue the next."""

    name = "trainings"
    model = Chunk
    related = ("checkpoint__study", "checkpoint__corpus", "checkpoint__aspect__study")
    final = (MetricError, OptionError, UnknownMetric)
    refusals = (starting.TrainingError,)

    def rows(self) -> QuerySet[Chunk]:
        return super().rows().filter(run=None)

    def columns(self, now: datetime) -> dict[str, Any]:
        return {"done_items": 0, "passed_at": None}

    def begin(self, row: Chunk, clock: Clock) -> None:
        State, pk = Checkpoint.State, worker.training_of(row).pk
        queued = Checkpoint.objects.filter(pk=pk, state=State.QUEUED)
        queued.update(state=State.RUNNING)

    def report(self, row: Chunk, clock: Clock) -> Report:
        return Report(row, clock)

    def run(self, row: Chunk, report: Report) -> None:
        worker.train(row, report)

    def end(self, row: Chunk, error: Exception | None, clock: Clock) -> None:
        loading.free_memory()
        worker.end(checkpoint_id=worker.training_of(row).pk, now=clock())

    def words(self, job: Checkpoint) -> str:
        return f"Training {job.name} for {job.metric}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Checkpoint]:
        return Checkpoint.objects.filter(study=study).select_related("study")

    def progress_of(
        self, jobs: Sequence[Checkpoint], *, now: datetime | None = None
    ) -> dict[int, Progress]:
        return starting.progress_of(jobs, now)

    def cancel(self, job: Checkpoint) -> None:
        starting.cancel(checkpoint=job)

    def retry(self, job: Checkpoint, *, user: Any = None) -> None:
        starting.retry(checkpoint=job)


TRAININGS = TrainingWork()
