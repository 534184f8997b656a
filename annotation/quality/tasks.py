"""A wake-up call. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task

from annotation.quality import applying
from evalapp.work import heartbeats


@shared_task
def apply_policy(rejudging_id: int) -> None:
    applying.work(rejudging_id=rejudging_id, owner=heartbeats.me())
