"""The task of before a row had a queue: its messages may still wait in a broker."""

from celery import shared_task

from evalapp.work import tasks
from scoring.models import Chunk


@shared_task
def ask_judge(chunk_id: int) -> None:
    """What a chunk of a run over the network was sent as."""
    tasks.perform(Chunk, chunk_id)
