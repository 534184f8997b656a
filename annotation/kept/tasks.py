"""A wake-up call. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task

from annotation import kept
from evalapp.work import heartbeats


@shared_task
def summarize(summary_id: int) -> None:
    kept.work(summary_id=summary_id, owner=heartbeats.me())
