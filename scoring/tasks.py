from celery import shared_task
from django.utils import timezone

from scoring import beats, computing, probe_worker, shelving, worker


@shared_task
def score_chunk(chunk_id: int) -> None:
    """A wake-up call. Safe to receive twice, late, or for a chunk that has ended."""
    worker.score(chunk_id=chunk_id, owner=beats.me(), clock=timezone.now)


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
