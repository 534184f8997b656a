"""Do one slice of a training: some minutes, then the next one is queued.

Between two slices of a training other chunks get their turn, and no message is held
longer than a broker waits. Whatever a training needs to go on lies in its folder.
"""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from scoring import chunks, loading, metrics, training_data, worker
from scoring.metrics import MetricError, OptionError, UnknownMetric
from scoring.metrics._models import limit_threads
from scoring.metrics._trained import TrainedMetric
from scoring.metrics._training import MODEL, Step
from scoring.models import Checkpoint, Chunk
from scoring.worker import Clock, Interrupted, Lost, without_folders

log = logging.getLogger(__name__)

REPORT_SECONDS = 1.0
LOOKS = 20  # points of the loss curve of a stage that nothing was held out in
CARD = "training.json"
UNFINISHED = ".unfinished"  # no study can have that name

State = Checkpoint.State


def folder_of(checkpoint: Checkpoint) -> Path:
    """Where a training keeps what it needs to go on.

    By its number, which is never given again: a worker that has lost a training that
    was then deleted cannot write into a newer one of the same name.
    """
    return checkpoints_folder() / UNFINISHED / str(checkpoint.pk)


def checkpoints_folder() -> Path:
    return Path(settings.DATA_DIR) / "checkpoints"


def is_slice(chunk_id: int) -> bool:
    return Chunk.objects.filter(pk=chunk_id, checkpoint__isnull=False).exists()


def train(*, chunk_id: int, owner: str, clock: Clock) -> int | None:
    """Do a slice if it is free; the id of the next one, which nobody was sent yet.

    What a user can cure ends the training at once; anything else is tried three times
    in all. A worker that lost its slice leaves no trace.
    """
    chunk = chunks.take(chunk_id=chunk_id, owner=owner, now=clock())
    if chunk is None:
        return None
    following = None
    try:
        following = _train(chunk, clock)
    except Lost:
        log.info("%s was cancelled or taken over", chunk)
    except Interrupted:
        chunks.give_back(chunk=chunk)
    except (MetricError, OptionError, UnknownMetric) as error:
        chunks.fail(chunk=chunk, error=without_folders(str(error)), now=clock())
    except Exception as error:
        log.exception("%s failed", chunk)
        text = without_folders(f"{type(error).__name__}: {error}")[:2000]
        chunks.try_again(chunk=chunk, error=text, now=clock())
    loading.free_memory()
    end(checkpoint_id=chunk.checkpoint_id, now=clock())
    return following


def end(*, checkpoint_id: int, now: datetime) -> None:
    """Set the training failed if none of its slices is left and it is not done."""
    with transaction.atomic():
        # Whoever tries it again meanwhile waits, or makes us wait and is seen below.
        live = Checkpoint.objects.select_for_update().exclude(
            state__in=Checkpoint.ENDED
        )
        found = live.filter(pk=checkpoint_id).first()
        if found is None or found.chunks.filter(state__in=Chunk.UNFINISHED).exists():
            return
        last = found.chunks.order_by("-index").values_list("error", flat=True).first()
        found.state, found.error, found.finished_at = State.FAILED, last or "", now
        found.save(update_fields=["state", "error", "finished_at"])


def _train(chunk: Chunk, clock: Clock) -> int | None:
    started = time.monotonic()
    checkpoint, report = chunk.checkpoint, Report(chunk, clock)
    kind = metrics.get(checkpoint.metric)
    if not issubclass(kind, TrainedMetric):
        raise MetricError(f"the metric {checkpoint.metric} is not one that is trained")
    folder = folder_of(checkpoint)
    if checkpoint.started_at is None:
        _begin(checkpoint, folder, clock())
    # Room first: a model that scores and one that is trained may not fit side by side.
    loading.forget_all()
    loading.know_folders()
    finished = (checkpoint.folder / MODEL).is_dir()  # and its worker died right then
    if not finished:
        data = training_data.read(checkpoint, folder)
        limit_threads()
        finished = kind.train(
            data,
            folder,
            report,
            seconds=_seconds_left(started),
            device=loading.device(),
            **checkpoint.options,
        )
    chunk.seconds = time.monotonic() - started
    if finished:
        _complete(chunk, report, folder)
        return None
    return _queue_next(chunk, report)


def _begin(checkpoint: Checkpoint, folder: Path, now: datetime) -> None:
    """What another database left under that number or name must not go on here."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(checkpoint.folder, ignore_errors=True)
    Checkpoint.objects.filter(pk=checkpoint.pk).update(started_at=now)


def _seconds_left(started: float) -> float:
    """Reading many texts takes its share of the slice."""
    spent = time.monotonic() - started
    return max(1.0, settings.TRAINING_SLICE_SECONDS - spent)


class Report:
    """Progress, lease and fence, at most once a second; then the training's figures."""

    def __init__(self, chunk: Chunk, clock: Clock) -> None:
        self.chunk, self.clock = chunk, clock
        self.checkpoint = chunk.checkpoint
        self.last = -math.inf

    def __call__(self, step: Step) -> None:
        if worker.is_stopping():
            raise Interrupted
        looked = self._note(step)
        if not looked and time.monotonic() - self.last < REPORT_SECONDS:
            return
        now = self.clock()
        if not chunks.renew(chunk=self.chunk, done=step.step, now=now):
            raise Lost
        self.save(state=State.RUNNING)
        self.last = time.monotonic()

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
        # After a kill it goes on from an earlier step than it was seen at.
        other = [p for p in row.log if p["stage"] != row.stage]
        own = [p for p in row.log if p["stage"] == row.stage and p["step"] <= row.step]
        row.log = other + own
        if not _is_new_look(step, own):
            return False
        point = {"stage": row.stage, "step": row.step, "loss": row.loss}
        point |= {"held_out": step.held_out, "seconds": round(step.seconds, 1)}
        row.log.append(point)
        return True


def _is_new_look(step: Step, points: list[dict[str, Any]]) -> bool:
    """Whether what is held out was looked at again, or a twentieth is done without."""
    last = points[-1] if points else {"step": 0, "held_out": None}
    if step.held_out is not None:
        return step.held_out != last["held_out"]
    enough = max(1, step.steps / LOOKS)
    return step.loss is not None and step.step - last["step"] >= enough


# The end of a slice -------------------------------------------------------------------


def _queue_next(chunk: Chunk, report: Report) -> int:
    with transaction.atomic():
        _finish(chunk, report)
        report.save()
        following = Chunk.objects.create(
            checkpoint_id=chunk.checkpoint_id, index=chunk.index + 1
        )
    return following.pk


def _complete(chunk: Chunk, report: Report, folder: Path) -> None:
    """The checkpoint is published by the worker that holds the slice, and no other."""
    checkpoint = chunk.checkpoint
    with transaction.atomic():
        _finish(chunk, report)
        _publish(folder / MODEL, checkpoint.folder / MODEL)
        card = json.loads((checkpoint.folder / MODEL / CARD).read_text())
        checkpoint.log = _whole_log(checkpoint, card)
        report.save()
        Checkpoint.objects.filter(pk=checkpoint.pk).update(
            state=State.DONE,
            card=card,
            signature=card.get("signature", ""),
            error="",
            finished_at=report.clock(),
        )
    shutil.rmtree(folder, ignore_errors=True)


def _finish(chunk: Chunk, report: Report) -> None:
    """The fence. The training's row is locked first, as by whoever cancels."""
    row = Checkpoint.objects.select_for_update().filter(pk=chunk.checkpoint_id)
    if not row.first() or not chunks.finish(chunk=chunk, now=report.clock()):
        raise Lost
    trained = report.checkpoint
    chunk.details |= {
        "stage": trained.stage,
        "step": trained.step,
        "loss": trained.loss,
        "held_out": trained.held_out_loss,
    }
    chunk.total_items = chunk.done_items = trained.step
    chunk.save(update_fields=["details", "total_items", "done_items"])


def _publish(made: Path, place: Path) -> None:
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, place)


def _whole_log(checkpoint: Checkpoint, card: dict[str, Any]) -> list[dict[str, Any]]:
    """The card has each point of the last stage, at the very step of the look."""
    stage = checkpoint.stage
    exact = [{"stage": stage, **point} for point in card.get("log", [])]
    earlier = [point for point in checkpoint.log if point["stage"] != stage]
    return [*earlier, *exact] if exact else checkpoint.log
