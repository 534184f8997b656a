"""Wake-up calls. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task
from django.utils import timezone

from evalapp.work import affinity, heartbeats
from scoring.judging import trials
from scoring.models import Chunk
from scoring.probing import worker as probe_worker
from scoring.publishing import shelf as published
from scoring.replication import shelf
from scoring.results import analysing
from scoring.runs import loading, worker
from scoring.training import worker as training_worker


@shared_task
def score_chunk(chunk_id: int) -> None:
    """For a chunk of a run, or a slice of a training: this one or another first."""
    held, now = loading.held(), timezone.now()
    chunk_id = affinity.chosen(Chunk, pk=chunk_id, held=held, now=now)
    is_slice = training_worker.is_slice(chunk_id)
    work = training_worker.train if is_slice else worker.score
    work(chunk_id=chunk_id, owner=heartbeats.me(), clock=timezone.now)


@shared_task
def ask_judge(chunk_id: int) -> None:
    """What a chunk of a run over the network was sent as, before a row had a queue."""
    score_chunk(chunk_id)


@shared_task
def analyse(analysis_id: int) -> None:
    analysing.compute(analysis_id=analysis_id, owner=heartbeats.me())


@shared_task
def probe(probe_id: int) -> None:
    probe_worker.compute(probe_id=probe_id, owner=heartbeats.me(), clock=timezone.now)


@shared_task
def bundle(bundle_id: int) -> None:
    shelf.make(bundle_id=bundle_id, owner=heartbeats.me())


@shared_task
def data_set(data_set_id: int) -> None:
    published.SHELF.make(pk=data_set_id, owner=heartbeats.me())


@shared_task
def try_judge(trial_id: int) -> None:
    trials.compute(trial_id=trial_id, owner=heartbeats.me(), clock=timezone.now)
