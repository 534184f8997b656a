"""Do one slice of a training: some minutes, then the next one is queued.

Between two slices of a training other chunks get their turn, and no message is held
longer than a broker waits. Everything a training needs to continue is in its folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from evalapp import storage
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.retries import Clock
from scoring import metrics
from scoring.metrics import (
    MetricError,
    Step,
    TrainedMetric,
    models,
    training,
)
from scoring.models import Checkpoint, Chunk
from scoring.runs import loading
from scoring.training import data as training_data
from scoring.training.kept import Card, Point

LOOKS = 20  # points of the loss curve of a stage that nothing was held out in
CARD = "training.json"
FOLDER = "checkpoints"
UNFINISHED = f"{FOLDER}/.unfinished"  # no study can have that name

State = Checkpoint.State


def work_of(checkpoint: Checkpoint) -> str:
    """Where a training keeps what it needs to continue.

    By its number, which is never given again: a worker that has lost a training that
    was then deleted cannot write into a newer one of the same name.
    """
    return f"{UNFINISHED}/{checkpoint.pk}"


def folder_of(checkpoint: Checkpoint) -> Path:
    """The same on this machine, as the last slice has left it."""
    return storage.work_in(work_of(checkpoint))


def end(*, checkpoint_id: int, now: datetime) -> None:
    """Set the training failed if none of its slices is left and it is not done."""
    with transaction.atomic():
        # A retry in the meantime waits, or makes us wait and is seen below.
        live = Checkpoint.objects.select_for_update().exclude(
            state__in=Checkpoint.ENDED
        )
        found = live.filter(pk=checkpoint_id).first()
        if found is None or found.chunks.filter(state__in=Chunk.UNFINISHED).exists():
            return
        last = found.chunks.order_by("-index").values_list("error", flat=True).first()
        found.state, found.error, found.finished_at = State.FAILED, last or "", now
        found.save(update_fields=["state", "error", "finished_at"])


def train(chunk: Chunk, report: Report) -> None:
    """Do a slice that was taken, and queue the next."""
    started = time.monotonic()
    checkpoint = report.checkpoint
    kind = metrics.get(checkpoint.metric)
    if not issubclass(kind, TrainedMetric):
        raise MetricError(f"the metric {checkpoint.metric} cannot be trained")
    if checkpoint.started_at is None:
        _begin(checkpoint, report.clock())
    folder = folder_of(checkpoint)
    # Room first: a model that scores and one that is trained may not fit side by side.
    loading.forget_all()
    loading.know_folders()
    finished = storage.find(_model_of(checkpoint)) is not None
    if not finished:  # else its worker died right then
        data = training_data.read(checkpoint, folder)
        models.limit_threads()
        finished = kind.train(
            data,
            folder,
            report,
            seconds=_seconds_left(started),
            device=loading.device(),
            **loading.here(kind.TrainingOptions, checkpoint.options),
        )
    chunk.seconds = time.monotonic() - started
    if finished:
        _complete(chunk, report, folder)
    else:
        _queue_next(chunk, report)


def training_of(chunk: Chunk) -> Checkpoint:
    assert chunk.checkpoint is not None  # a chunk without one is of a run
    return chunk.checkpoint


def _model_of(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.stored_as}/{training.MODEL}"


def _begin(checkpoint: Checkpoint, now: datetime) -> None:
    """What another database left under that number or name must not continue here."""
    storage.end_work(work_of(checkpoint))
    storage.delete(checkpoint.stored_as)
    Checkpoint.objects.filter(pk=checkpoint.pk).update(started_at=now)


def _seconds_left(started: float) -> float:
    """Reading many texts takes its share of the slice."""
    spent = time.monotonic() - started
    return max(1.0, settings.TRAINING_SLICE_SECONDS - spent)


class Report(retries.Report):
    """Tells the training's figures, after the lease was renewed."""

    row: Chunk

    def __init__(self, chunk: Chunk, clock: Clock) -> None:
        super().__init__(chunk, clock)
        self.checkpoint = training_of(chunk)

    def __call__(self, step: Step) -> None:
        if self.renew(at_once=self._note(step), done_items=step.step):
            self.save(state=State.RUNNING)

    def save(self, **where: Any) -> None:
        names = "stage step steps seconds loss held_out_loss log".split()
        figures = {name: getattr(self.checkpoint, name) for name in names}
        found = Checkpoint.objects.filter(pk=self.checkpoint.pk, **where)
        found.update(**figures)

    def _note(self, step: Step) -> bool:
        """Take over what it tells; whether the loss curve has a new point."""
        row = self.checkpoint
        if not step.step and step.stage == row.stage:
            return False  # what was kept is being read
        row.stage, row.step, row.steps = step.stage[:60], step.step, step.steps
        row.loss, row.held_out_loss = step.loss, step.held_out
        row.seconds = step.seconds
        # After a kill it continues from an earlier step than was shown.
        other = [p for p in row.log if p["stage"] != row.stage]
        own = [p for p in row.log if p["stage"] == row.stage and p["step"] <= row.step]
        row.log = other + own
        if not _is_new_look(step, own):
            return False
        point: Point = {
            "stage": row.stage,
            "step": row.step,
            "loss": row.loss,
            "held_out": step.held_out,
            "seconds": round(step.seconds, 1),
        }
        row.log.append(point)
        return True


def _is_new_look(step: Step, points: list[Point]) -> bool:
    """Whether what is held out was looked at again, or a twentieth is done without."""
    last: Mapping[str, Any] = points[-1] if points else {"step": 0, "held_out": None}
    if step.held_out is not None:
        return bool(step.held_out != last["held_out"])
    enough = max(1, step.steps / LOOKS)
    return step.loss is not None and bool(step.step - last["step"] >= enough)


# The end of a slice -------------------------------------------------------------------


def _queue_next(chunk: Chunk, report: Report) -> None:
    """Behind all that was queued meanwhile: each slice is a turn."""
    work = work_of(report.checkpoint)
    storage.keep_work(work, (chunk.index, chunk.attempt))
    with transaction.atomic():
        _finish(chunk, report)
        report.save()
        following = Chunk.objects.create(
            checkpoint_id=chunk.checkpoint_id, index=chunk.index + 1
        )
        wake_on_commit(Chunk, [following.pk])
    storage.settle_work(work)


def _complete(chunk: Chunk, report: Report, folder: Path) -> None:
    """The checkpoint is published by the worker that holds the slice.

    To another machine that may take minutes, in which no row may be locked: the pulse
    could not renew the lease. If the worker dies in between, the next attempt finds the
    checkpoint published.
    """
    checkpoint = report.checkpoint
    model, made = _model_of(checkpoint), f"{work_of(checkpoint)}/{training.MODEL}"
    if (folder / training.MODEL).is_dir():
        storage.keep(made, folder / training.MODEL)
    report.renew(at_once=True)  # who has lost the slice publishes nothing
    _publish(made, model)
    with storage.opened(f"{model}/{CARD}") as file:
        card = json.load(file)
    with transaction.atomic():
        _finish(chunk, report)
        checkpoint.log = _whole_log(checkpoint, card)
        report.save()
        Checkpoint.objects.filter(pk=checkpoint.pk).update(
            state=State.DONE,
            card=card,
            signature=card.get("signature", ""),
            error="",
            finished_at=report.clock(),
        )
    storage.end_work(work_of(checkpoint))


def _finish(chunk: Chunk, report: Report) -> None:
    """The fence. The training's row is locked first, as cancelling does."""
    trained = report.checkpoint
    row = Checkpoint.objects.select_for_update().filter(pk=trained.pk)
    steps = {"done_items": trained.step, "total_items": trained.step}
    now, seconds = report.clock(), chunk.seconds
    if not row.first() or not leases.finish(chunk, now=now, seconds=seconds, **steps):
        raise retries.Lost
    chunk.details |= {
        "stage": trained.stage,
        "step": trained.step,
        "loss": trained.loss,
        "held_out": trained.held_out_loss,
    }
    chunk.save(update_fields=["details"])


def _publish(made: str, model: str) -> None:
    if storage.find(model) is None:
        storage.move(made, model)


def _whole_log(checkpoint: Checkpoint, card: Card) -> list[Point]:
    """The card has each point of the last stage, at the very step of the look."""
    stage = checkpoint.stage
    exact: list[Point] = [{"stage": stage, **point} for point in card.get("log", [])]
    earlier = [point for point in checkpoint.log if point["stage"] != stage]
    return [*earlier, *exact] if exact else checkpoint.log
