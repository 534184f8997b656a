"""A wake-up call. Safe to receive twice, late, or for a row that has ended."""

from celery import shared_task

from annotation.mailing import sending
from evalapp.work import heartbeats


@shared_task
def send_mailing(mailing_id: int) -> None:
    sending.work(mailing_id=mailing_id, owner=heartbeats.me())
