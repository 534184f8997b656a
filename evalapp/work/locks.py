"""Who does what none should do twice: a row with a lease for a name.

Unlike work, a claim is not queued and has no result: it only keeps others away, on all
machines, and ends by itself where its holder was killed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from evalapp.work import leases
from evalapp.work.leases import LEASE
from evalapp.work.models import Claim


@contextmanager
def held(
    name: str, *, owner: str, clock: Callable[[], datetime] = timezone.now
) -> Iterator[bool]:
    """Whether nobody else holds the name, while the block runs.

    The pulse of a worker renews what it holds, as it renews leases.
    """
    mine = take(name, owner=owner, now=clock())
    if mine:
        leases.claimed.add(name)
    try:
        yield mine
    finally:
        if mine:
            # First: if the database is away, the claim ends by itself.
            leases.claimed.discard(name)
            Claim.objects.filter(name=name, owner=owner).delete()


def take(name: str, *, owner: str, now: datetime) -> bool:
    """Claim a name that is free, or whose holder has died."""
    claims = Claim.objects.filter(name=name)
    until = now + LEASE
    if claims.filter(lease_until__lte=now).update(owner=owner, lease_until=until):
        return True
    if claims.exists():
        return False
    try:
        with transaction.atomic():  # of two at once, one is refused
            Claim.objects.create(name=name, owner=owner, lease_until=until)
    except IntegrityError:
        return False
    return True
