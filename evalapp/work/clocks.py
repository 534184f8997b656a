"""Clocks of workers, compared with the one that all share: the database's.

By a clock that is a month ahead, all that is kept for 30 days is old enough to go. So a
worker whose clock disagrees with the database's does nothing that cannot be undone, and
staff are told. On SQLite both are this machine's clock: there only
`deferred_deletion.py` helps.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from evalapp.work.models import WrongClock

APART = timedelta(minutes=5)  # more is no matter of a slow line
LATELY = timedelta(minutes=10)  # workers look twice a minute
FORGOTTEN = timedelta(days=1)


def of_database() -> datetime:
    """What time it is by the database's clock; on SQLite, by this machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        # Not now(), which stands still within a transaction.
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
    return at


def agreed(*, here: datetime, there: datetime) -> datetime | None:
    """The time by which something may be removed for good; None if clocks disagree.

    The earlier one: what is not due by both clocks is not due.
    """
    return None if abs(here - there) > APART else min(here, there)


def note(*, owner: str, here: datetime, there: datetime) -> None:
    """Have staff told of a worker whose clock is wrong, until it is right again."""
    ahead = here - there
    WrongClock.objects.filter(noted_at__lt=there - FORGOTTEN).delete()
    if abs(ahead) > APART:
        fields = {"seconds": ahead.total_seconds(), "noted_at": there}
        WrongClock.objects.update_or_create(owner=owner, defaults=fields)
    else:
        WrongClock.objects.filter(owner=owner).delete()


def wrong(*, now: datetime) -> dict[str, timedelta]:
    """By worker, how far its clock is ahead of the database's. One query."""
    rows = WrongClock.objects.filter(noted_at__gt=now - LATELY).order_by("owner")
    return {
        owner: timedelta(seconds=seconds)
        for owner, seconds in rows.values_list("owner", "seconds")
    }
