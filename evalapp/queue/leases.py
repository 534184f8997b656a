"""Who has which row of work, and until when. Each change is one conditional UPDATE.

No condition here may reach into another table: under READ COMMITTED, PostgreSQL checks
only the row's own columns again after waiting for a rival's UPDATE of it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.apps import apps
from django.db.models import F, Q, QuerySet

from evalapp.queue.models import Leased

ATTEMPTS = 3
# A worker's process renews its leases every few seconds; this is how long it may be
# held up, by a load that keeps Python's lock, before it counts as dead.
LEASE = timedelta(seconds=120)
QUEUED: dict[str, object] = {
    **{"state": Leased.State.QUEUED, "owner": "", "lease_until": None},
    **{"sent_at": None, "finished_at": None},
}

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
        owner: See `beats.me`.
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
    return rows.get(pk=pk) if took else None


def renew(row: Leased, *, now: datetime, **progress: Any) -> bool:
    """Report progress and stay the holder; False when cancelled or taken over."""
    return still(row).update(lease_until=now + LEASE, **progress) == 1


def renew_all(*, owner: str, now: datetime) -> None:
    """Whatever this worker holds."""
    for kind in kinds():
        held = _all(kind).filter(owner=owner, state=State.RUNNING)
        held.update(lease_until=now + LEASE)


def finish(row: Leased, *, now: datetime, **found: Any) -> bool:
    """Call this in one transaction with saving what was found. False: not ours now."""
    ended = {**_ended(State.DONE, now), "error": ""}
    return still(row).update(**{**ended, **found}) == 1


def fail(row: Leased, *, error: str, now: datetime) -> None:
    still(row).update(error=error, **_ended(State.FAILED, now))


def try_again(row: Leased, *, error: str, now: datetime) -> None:
    """Queue the row again, or fail it after the last attempt."""
    if row.attempt >= ATTEMPTS:
        fail(row, error=f"{error} ({ATTEMPTS} attempts)", now=now)
    else:
        still(row).update(error=error, **QUEUED)


def give_back(row: Leased) -> None:
    """Queue the row again because its worker was told to stop: no attempt is lost."""
    still(row).update(attempt=F("attempt") - 1, **QUEUED)


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


def requeue_expired(*, now: datetime) -> None:
    """Queue rows of dead workers again, or fail them after the last attempt."""
    for kind in kinds():
        expired = _all(kind).filter(state=State.RUNNING, lease_until__lte=now)
        died = f"the worker died at this {kind.KIND} {ATTEMPTS} times: out of memory?"
        expired.filter(attempt__gte=ATTEMPTS).update(
            error=f"{died} {kind.REMEDY}".rstrip(), **_ended(State.FAILED, now)
        )
        expired.filter(attempt__lt=ATTEMPTS).update(**QUEUED)


def n_held(*, now: datetime) -> int:
    """How many rows living workers have at hand. A query for each kind."""
    held = {"state": State.RUNNING, "lease_until__gt": now}
    return sum(_all(kind).filter(**held).count() for kind in kinds())


def still(row: Leased) -> QuerySet[Any]:
    """The row, if the attempt that read it still holds it: the fence."""
    return _all(type(row)).filter(
        pk=row.pk, owner=row.owner, attempt=row.attempt, state=State.RUNNING
    )


def _all(kind: type[Leased]) -> QuerySet[Any]:
    return kind._default_manager.order_by()


def _ended(state: str, now: datetime) -> dict[str, object]:
    return {"state": state, "lease_until": None, "finished_at": now}
