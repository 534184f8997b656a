"""Who has which row of work, and until when. Each change is one conditional UPDATE.

No condition here may reach into another table: under READ COMMITTED, PostgreSQL checks
only the row's own columns again after waiting for a rival's UPDATE of it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import get_ident
from typing import Any, TypeVar

from django.apps import apps
from django.db.models import F, Q, QuerySet

from evalapp.work.models import Claim, Leased

ATTEMPTS = 3
# A worker's process renews its leases every few seconds; this is how long it may be
# held up, by a load that keeps Python's lock, before it counts as dead.
LEASE = timedelta(seconds=120)
QUEUED: dict[str, object] = {
    **{"state": Leased.State.QUEUED, "owner": "", "lease_until": None},
    **{"sent_at": None, "finished_at": None, "away_since": None},
}

claimed: set[str] = set()  # names of what this process holds: see locks.py
_at_hand: dict[int, tuple[type[Leased], int]] = {}  # by thread

State = Leased.State
Row = TypeVar("Row", bound=Leased)


def kinds() -> list[type[Leased]]:
    """All kinds of work that there are."""
    return [model for model in apps.get_models() if issubclass(model, Leased)]


def take(
    rows: QuerySet[Row], *, pk: int, owner: str, now: datetime, **begun: Any
) -> Row | None:
    """Give the row to this worker; None where it is another's, or has ended.

    Args:
        rows: All of its kind, with the related rows that are wanted.
        pk: Which of them.
        owner: See `heartbeats.me`.
        now: When.
        begun: Columns that each attempt begins with, such as the progress.
    """
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lte=now)
    took = rows.filter(free, pk=pk, attempt__lt=ATTEMPTS).update(
        state=State.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lease_until=now + LEASE,
        **begun,
    )
    if not took:
        return None
    # What this thread had before is not at hand any more, however it ended.
    _at_hand[get_ident()] = rows.model, pk
    return rows.get(pk=pk)


def let_go() -> None:
    """Nothing is at hand in this thread: see `renew_all`."""
    _at_hand.pop(get_ident(), None)


def renew(row: Leased, *, now: datetime, **progress: Any) -> bool:
    """Report progress and stay the holder; False when cancelled or taken over."""
    return still(row).update(lease_until=now + LEASE, **progress) == 1


def renew_all(*, owner: str, now: datetime) -> None:
    """Whatever this process works on.

    Not all rows of this owner: where the database went away before the end of an
    attempt could be written, its row must come back, and not stay with a worker that
    has long turned to another one.
    """
    for kind, pk in list(_at_hand.values()):
        held = _all(kind).filter(owner=owner, state=State.RUNNING, pk=pk)
        held.update(lease_until=now + LEASE)
    if claimed:
        held = Claim.objects.filter(owner=owner, name__in=list(claimed))
        held.update(lease_until=now + LEASE)


def finish(row: Leased, *, now: datetime, **found: Any) -> bool:
    """Call this in one transaction with saving what was found. False: not ours now."""
    ended = {**_ended(State.DONE, now), "error": ""}
    return still(row).update(**{**ended, **found}) == 1


def fail(row: Leased, *, error: str, now: datetime) -> None:
    still(row).update(error=error, **_ended(State.FAILED, now))


def try_again(
    row: Leased, *, error: str, now: datetime, until: datetime | None = None
) -> None:
    """Queue the row again, or fail it after the last attempt.

    Nobody is woken up for it until then.
    """
    if row.attempt >= ATTEMPTS:
        fail(row, error=f"{error} ({ATTEMPTS} attempts)", now=now)
    else:
        still(row).update(**{**QUEUED, "error": error, "lease_until": until})


def give_back(
    row: Leased,
    *,
    error: str = "",
    away_since: datetime | None = None,
    until: datetime | None = None,
) -> None:
    """Queue the row again: its worker was told to stop, or what it needs is away.

    No attempt is lost.

    Args:
        row: Which.
        error: Why it waits.
        away_since: Since when.
        until: When somebody is woken up for it; None: at once.
    """
    why: dict[str, object] = {"away_since": away_since, "lease_until": until}
    if error:
        why["error"] = error
    still(row).update(attempt=F("attempt") - 1, **{**QUEUED, **why})


def cancel(rows: QuerySet[Any], *, now: datetime) -> int:
    """End those that are unfinished. Their workers notice at the next progress."""
    unfinished = rows.filter(state__in=Leased.UNFINISHED)
    return unfinished.update(**_ended(State.CANCELLED, now))


def retry(rows: QuerySet[Any], **begun: Any) -> int:
    """Queue those again that failed or were cancelled, with all their attempts."""
    stopped = rows.filter(state__in=(State.FAILED, State.CANCELLED))
    return stopped.update(**QUEUED, attempt=0, error="", **begun)


def release(*, owner: str, now: datetime) -> None:
    """End the leases of a worker that is known to be dead. `owner` may be a prefix."""
    for kind in kinds():
        held = _all(kind).filter(owner__startswith=owner, state=State.RUNNING)
        held.update(lease_until=now)
    Claim.objects.filter(owner__startswith=owner).delete()


def requeue_expired(*, now: datetime) -> None:
    """Queue rows of dead workers again, or fail them after the last attempt.

    Their claims end by themselves, and are deleted a while later.
    """
    for kind in kinds():
        expired = _all(kind).filter(state=State.RUNNING, lease_until__lte=now)
        died = f"the worker died at this {kind.KIND} {ATTEMPTS} times: out of memory?"
        expired.filter(attempt__gte=ATTEMPTS).update(
            error=f"{died} {kind.REMEDY}".rstrip(), **_ended(State.FAILED, now)
        )
        expired.filter(attempt__lt=ATTEMPTS).update(**QUEUED)
    # Of killed holders. Few names are ever claimed again, so nobody else deletes them.
    Claim.objects.filter(lease_until__lte=now - LEASE).delete()


def holders(*, now: datetime) -> set[str]:
    """Owners of what is held at present, of any kind. A query for each kind."""
    held = {"state": State.RUNNING, "lease_until__gt": now}
    rows = (
        _all(kind).filter(**held).values_list("owner", flat=True) for kind in kinds()
    )
    return {owner for owners in rows for owner in owners}


def still(row: Leased) -> QuerySet[Any]:
    """The row, if the attempt that read it still holds it: the fence."""
    return _all(type(row)).filter(
        pk=row.pk, owner=row.owner, attempt=row.attempt, state=State.RUNNING
    )


def _all(kind: type[Leased]) -> QuerySet[Any]:
    return kind._default_manager.order_by()


def _ended(state: str, now: datetime) -> dict[str, object]:
    return {"state": state, "lease_until": None, "finished_at": now}
