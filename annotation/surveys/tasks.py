"""A wake-up call. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task

from annotation.surveys import opening
from evalapp.work import heartbeats


@shared_task
def open_study(opening_id: int) -> None:
    opening.work(opening_id=opening_id, owner=heartbeats.me())
