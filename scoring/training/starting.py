"""Start, cancel, try again and remove trainings; tell how far they are.

A training is a chain of slices on the table of chunks: see training_worker.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation import events
from annotation.models import Aspect, Study
from evalapp import storage
from evalapp.work import leases, queues
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.progress import Progress, workers_of
from scoring import corpora
from scoring.metrics import OptionError, TrainedMetric, UnknownMetric
from scoring.models import Checkpoint, Chunk, Corpus, MetricRun, Probe
from scoring.scores import allowed_models
from scoring.training import data, worker
from scoring.training.checks import (
    TrainingError,
    check_corpus,
    check_name,
    check_ratings,
    check_test,
    kind_of,
    taken,
    trained,
)

__all__ = [
    "OptionError",
    "TrainingError",
    "UnknownMetric",
    "cancel",
    "progress",
    "end_all",
    "remove",
    "retry",
    "start",
    "start_or_go_on",
    "tidy",
    "trained",
]

FORGOTTEN = timedelta(days=1)

State = Checkpoint.State


def start(
    *,
    study: Study,
    metric: str,
    name: str,
    options: Mapping[str, object],
    corpus: Corpus | None = None,
    test: Corpus | None = None,
    aspect: Aspect | None = None,
    user: Any = None,
    any_folder: bool = False,
) -> Checkpoint:
    """Begin a training and wake a worker up.

    Args:
        study: Whose checkpoint it becomes. Its texts are never learned from.
        metric: One of those that are trained.
        name: Of the checkpoint: letters, digits, hyphens and underscores.
        options: Of the metric's training; what is left out is as usual.
        corpus: The study's human texts, where the metric learns from some.
        test: Others of the study, of which the card has figures in the end.
        aspect: Of another study that all members of this one may see.
        user: Who asks.
        any_folder: Whether options may name any folder of this machine: for the
            command line only.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
        TrainingError: It cannot be trained so. The message says why.
    """
    kind = kind_of(metric)
    chosen = _chosen(study, kind, options, any_folder)
    check_name(study, name)
    check_corpus(study, kind, corpus, chosen, aspect)
    check_test(kind, corpus, test, chosen)
    check_ratings(study, kind, aspect, chosen)
    checkpoint = Checkpoint(
        study=study,
        name=name,
        metric=metric,
        options=chosen,
        corpus=corpus,
        test=test,
        aspect=aspect,
        created_by=user,
    )
    try:
        with transaction.atomic():
            corpora.hold(corpus, TrainingError)
            corpora.hold(test, TrainingError)
            checkpoint.save()
            begun = _begun_with(corpus, test, aspect)
            first = Chunk.objects.create(checkpoint=checkpoint, index=0, details=begun)
            wake_on_commit(Chunk, [first.pk])
    except IntegrityError as error:  # another process was faster
        raise TrainingError(taken(name)) from error
    return checkpoint


def start_or_go_on(
    *,
    study: Study,
    metric: str,
    name: str,
    options: Mapping[str, object],
    corpus: Corpus | None = None,
    test: Corpus | None = None,
    aspect: Aspect | None = None,
    any_folder: bool = False,
) -> Checkpoint:
    """The training of that name: as it is, continued or started. See `start`.

    Raises:
        UnknownMetric, OptionError: The message lists what there is.
        TrainingError: Also where one of that name was begun with something else.
    """
    there = study.checkpoints.filter(name=name).first()
    wished: dict[str, Any] = {"study": study, "metric": metric, "options": options}
    wished |= {"corpus": corpus, "test": test, "aspect": aspect}
    wished |= {"any_folder": any_folder}
    if there is None:
        return start(name=name, **wished)
    chosen = _chosen(study, kind_of(metric), options, any_folder)
    for what, before, now in (
        ("the metric", there.metric, metric),
        ("the corpus", there.corpus, corpus),
        ("the test corpus", there.test, test),
        ("the ratings", there.aspect, aspect),
        *((f"the option {k}", there.options.get(k), chosen[k]) for k in options),
    ):
        if before != now:
            raise TrainingError(
                f"the training {name} was started with {what} {before or 'none'}, not"
                f" {now or 'none'}: choose another name for this one"
            )
    if there.state in (State.FAILED, State.CANCELLED):
        retry(checkpoint=there)
    return there


def cancel(*, checkpoint: Checkpoint) -> None:
    """Stop a training; what it has learned is kept. Its worker notices in a second."""
    now = timezone.now()
    with transaction.atomic():
        live = Checkpoint.objects.exclude(state__in=Checkpoint.ENDED)
        stopped = {"state": State.CANCELLED, "finished_at": now}
        if live.filter(pk=checkpoint.pk).update(**stopped):
            leases.cancel(checkpoint.chunks.all(), now=now)
    checkpoint.refresh_from_db()


def retry(*, checkpoint: Checkpoint) -> None:
    """Continue a training that failed or was cancelled, from the state in its folder.

    Raises:
        TrainingError: It is neither, or what it learns from was deleted.
    """
    with transaction.atomic():
        corpora.hold(checkpoint.corpus, TrainingError)
        corpora.hold(checkpoint.test, TrainingError)
        again = Checkpoint.objects.filter(
            pk=checkpoint.pk, state__in=(State.FAILED, State.CANCELLED)
        ).update(state=State.QUEUED, error="", finished_at=None)
        if not again:
            raise TrainingError(
                "only a training that failed or was cancelled can be tried again"
            )
        if gone := data.gone(checkpoint):
            raise TrainingError(gone)
        last = checkpoint.chunks.order_by("-index")[:1].get()
        leases.retry(checkpoint.chunks.filter(pk=last.pk), done_items=0)
        wake_on_commit(Chunk, [last.pk])
    checkpoint.refresh_from_db()


def remove(
    *, checkpoint: Checkpoint, user: Any = None, now: datetime | None = None
) -> None:
    """Delete a training and its checkpoint. Scores that it gave stay.

    Raises:
        TrainingError: It is under way, or something that is under way uses it.
    """
    with transaction.atomic():
        locked = Checkpoint.objects.select_for_update().filter(pk=checkpoint.pk).first()
        if locked is None:  # deleted in another window
            return
        if not locked.ended:
            raise TrainingError(
                f"the training {locked.name} is running: cancel it first"
            )
        if user_of := _user_of(locked.key):
            raise TrainingError(
                f"{user_of} is using {locked.key}: cancel it, or wait until it ends"
            )
        events.log(
            study=locked.study,
            verb="deleted-checkpoint",
            now=now or timezone.now(),
            user=user,
            about=locked.name,
            detail=f"{locked.metric}, {locked.get_state_display().lower()}",
        )
        place, work = locked.stored_as, worker.work_of(locked)
        locked.delete()
        transaction.on_commit(partial(_delete, place, work))


def end_all(*, now: datetime) -> None:
    """Fail trainings whose last slice has failed. Safe to do twice at once.

    The slices themselves are brought back as all work is.
    """
    unfinished = Chunk.objects.filter(
        state__in=Chunk.UNFINISHED, checkpoint__isnull=False
    )
    live = Checkpoint.objects.exclude(state__in=Checkpoint.ENDED)
    over = live.exclude(pk__in=unfinished.values("checkpoint"))
    for pk in over.values_list("pk", flat=True):
        worker.end(checkpoint_id=pk, now=now)


def progress(checkpoint: Checkpoint, now: datetime | None = None) -> Progress:
    """How far one training is. One query."""
    return progress_of([checkpoint], now)[checkpoint.pk]


def progress_of(
    checkpoints: Sequence[Checkpoint], now: datetime | None = None
) -> dict[int, Progress]:
    """How far each training is, by its key. One query, however many there are.

    The state is that of a row as it was read.
    """
    workers = workers_of([queues.GPU], now=now or timezone.now())[queues.GPU]
    return {row.pk: _progress(row, workers) for row in checkpoints}


def _progress(row: Checkpoint, workers: int) -> Progress:
    left = None
    if not row.ended and row.step and row.seconds:
        left = row.seconds / row.step * (row.steps - row.step)
    return Progress(
        state=row.state,
        queue=queues.GPU,
        workers=workers,
        done=row.step,
        total=row.steps,
        stage=row.stage,
        seconds_left=left,
        error=row.error,
    )


def _begun_with(
    corpus: Corpus | None, test: Corpus | None, aspect: Aspect | None
) -> dict[str, str]:
    found = {}
    if corpus:
        found["corpus"] = f"the corpus {corpus.name}"
    if test:
        found["test"] = f"the test corpus {test.name}"
    if aspect:
        found["aspect"] = f"the ratings {aspect.study.name}/{aspect.key}"
    return found


def _user_of(key: str) -> str:
    """What of all that is under way names this checkpoint, in words; empty: nothing."""
    for what, rows in (
        ("a run", MetricRun.objects.exclude(state__in=MetricRun.ENDED)),
        ("a training", Checkpoint.objects.exclude(state__in=Checkpoint.ENDED)),
        ("a probe", Probe.objects.exclude(state__in=Probe.ENDED)),
    ):
        for options in rows.values_list("options", flat=True):
            if any(value == key or _lists(value, key) for value in options.values()):
                return what
    return ""


def _lists(value: Any, key: str) -> bool:
    return isinstance(value, list) and key in value


def _chosen(
    study: Study,
    kind: type[TrainedMetric],
    options: Mapping[str, object],
    any_folder: bool,
) -> dict[str, object]:
    """All options of a training, checked, with defaults for those left out."""
    if any_folder:
        given = allowed_models.resolve_any(kind.TrainingOptions, options)
    else:
        given = allowed_models.resolve_allowed(kind.TrainingOptions, options, study)
    return dataclasses.asdict(kind.training(**given))


# Folders ------------------------------------------------------------------------------


def tidy(*, now: datetime) -> None:
    """Delete folders that no training has any more: its study was deleted, say.

    Also what a training needed to continue, if it is done: a worker that was killed at
    the very end has left it. Only such as nobody has touched for a day.
    """
    states = _folders(worker.UNFINISHED)
    studies = _folders(worker.FOLDER) - {worker.UNFINISHED}
    places = {place for study in studies for place in _folders(study)}
    for one in Checkpoint.objects.select_related("study").only(
        "study__name", "name", "state"
    ):
        if one.state != Checkpoint.State.DONE:
            states.discard(worker.work_of(one))
        places.discard(one.stored_as)
    for work in states:
        if storage.written_at(work) < now - FORGOTTEN:
            storage.end_work(work)
    for place in places:
        if storage.written_at(place) < now - FORGOTTEN:
            storage.delete(place)


def _folders(name: str) -> set[str]:
    return {one.name for one in storage.children(name) if one.is_folder}


def _delete(place: str, work: str) -> None:
    storage.delete(place)
    storage.end_work(work)
