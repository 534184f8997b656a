"""A wake-up call. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task

from annotation.assistant import working
from evalapp.work import heartbeats


@shared_task
def import_upload(importing_id: int) -> None:
    working.work(importing_id=importing_id, owner=heartbeats.me())
