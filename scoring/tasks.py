from celery import shared_task
from django.utils import timezone

from scoring import (
    beats,
    chunks,
    computing,
    probe_worker,
    shelving,
    training_worker,
    worker,
)
from scoring.waking import wake


@shared_task
def score_chunk(chunk_id: int) -> None:
    """A wake-up call. Safe to receive twice, late, or for a chunk that has ended."""
    given = {"chunk_id": chunk_id, "owner": beats.me(), "clock": timezone.now}
    if not training_worker.is_slice(chunk_id):
        worker.score(**given)
    elif following := training_worker.train(**given):
        # Behind all that was queued meanwhile: each slice is a turn.
        chunks.note_sent(ids=wake(score_chunk, [following]), now=timezone.now())


@shared_task
def analyse(analysis_id: int) -> None:
    """Another one, for the result of a statistic page."""
    computing.compute(analysis_id=analysis_id, owner=beats.me(), clock=timezone.now)


@shared_task
def probe(probe_id: int) -> None:
    """One for a probe of a corpus."""
    probe_worker.compute(probe_id=probe_id, owner=beats.me(), clock=timezone.now)


@shared_task
def bundle(study_id: int) -> None:
    """And one for a reproduction bundle."""
    shelving.make(study_id=study_id, clock=timezone.now)
