from celery import shared_task
from django.utils import timezone

from scoring import beats, worker


@shared_task
def score_chunk(chunk_id: int) -> None:
    """A wake-up call. Safe to receive twice, late, or for a chunk that has ended."""
    worker.score(chunk_id=chunk_id, owner=beats.me(), clock=timezone.now)
