"""The end of a run: when none of its chunks is left."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from scoring.models import Chunk, MetricRun

State = MetricRun.State


def fail_queued(*, run_id: int, error: str, now: datetime) -> None:
    """Fail what is left of a run, where every chunk would fail in the same way."""
    left = Chunk.objects.filter(run=run_id, state=Chunk.State.QUEUED)
    left.update(state=Chunk.State.FAILED, error=error, finished_at=now)


def end_run(*, run_id: int, now: datetime) -> None:
    """Set the run done or failed if no chunk is left. Call it outside a transaction.

    Two last chunks that finish side by side do not see each other's unfinished
    transaction: inside it, each would leave the end to the other.
    """
    chunks = Chunk.objects.filter(run=run_id)
    if chunks.filter(state__in=Chunk.UNFINISHED).exists():
        return
    failed = chunks.filter(state=Chunk.State.FAILED).order_by("finished_at", "index")
    error = failed.values_list("error", flat=True).first()
    _live().filter(pk=run_id).update(
        state=State.DONE if error is None else State.FAILED,
        error=error or "",
        finished_at=now,
    )


def end_runs(*, now: datetime) -> None:
    """End runs whose last worker died between its chunk and `end_run`."""
    # Slices of trainings have no run, and nothing is outside a list with a NULL in it.
    unfinished = Chunk.objects.filter(state__in=Chunk.UNFINISHED, run__isnull=False)
    ended = _live().exclude(pk__in=unfinished.values("run"))
    for run_id in ended.values_list("pk", flat=True):
        end_run(run_id=run_id, now=now)


def _live() -> QuerySet[MetricRun]:
    return MetricRun.objects.filter(state__in=(State.QUEUED, State.RUNNING))
