"""Who has which probe, and until when. Each change is one conditional UPDATE.

As chunks.py does it for runs; a probe is done by one worker from begin to end.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet

from scoring.chunks import ATTEMPTS, LEASE
from scoring.models import Probe

State = Probe.State
STAGE_CHARACTERS = Probe._meta.get_field("stage").max_length


def take(*, probe_id: int, owner: str, now: datetime) -> Probe | None:
    """Give the probe to this worker; None where it is another's, or has ended."""
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lte=now)
    took = Probe.objects.filter(free, pk=probe_id, attempt__lt=ATTEMPTS).update(
        state=State.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lease_until=now + LEASE,
        done_items=0,
        total_items=0,
        stage="",
    )
    if not took:
        return None
    return Probe.objects.select_related("study", "corpus").get(pk=probe_id)


def renew(*, probe: Probe, stage: str, done: int, total: int, now: datetime) -> bool:
    """Report progress and stay the holder; False when cancelled or taken over."""
    progress = {
        "stage": stage[:STAGE_CHARACTERS],
        "done_items": done,
        "total_items": total,
    }
    return _still(probe).update(lease_until=now + LEASE, **progress) == 1


def renew_all(*, owner: str, now: datetime) -> None:
    held = Probe.objects.filter(owner=owner, state=State.RUNNING)
    held.update(lease_until=now + LEASE)


def finish(
    *, probe: Probe, result: dict[str, Any], seconds: float, now: datetime
) -> None:
    """Keep the result, unless the probe is not ours any more."""
    found = {"result": result, "seconds": seconds, "error": ""}
    _still(probe).update(state=State.DONE, **found, **_ended(now))


def fail(*, probe: Probe, error: str, now: datetime) -> None:
    _still(probe).update(state=State.FAILED, error=error, **_ended(now))


def try_again(*, probe: Probe, error: str, now: datetime) -> None:
    """Queue the probe again, or fail it after the last attempt."""
    if probe.attempt >= ATTEMPTS:
        fail(probe=probe, error=f"{error} ({ATTEMPTS} attempts)", now=now)
    else:
        _still(probe).update(error=error, **QUEUED)


def give_back(*, probe: Probe) -> None:
    """Queue the probe again because its worker was told to stop: no attempt is lost."""
    _still(probe).update(attempt=F("attempt") - 1, **QUEUED)


def expire(*, owner: str, now: datetime) -> None:
    """End the leases of a worker that is known to be dead. `owner` may be a prefix."""
    held = Probe.objects.filter(owner__startswith=owner, state=State.RUNNING)
    held.update(lease_until=now)


def requeue_expired(*, now: datetime) -> None:
    """Queue probes of dead workers again, or fail them after the last attempt."""
    expired = Probe.objects.filter(state=State.RUNNING, lease_until__lte=now)
    expired.filter(attempt__gte=ATTEMPTS).update(
        state=State.FAILED,
        error=f"the worker died at this probe {ATTEMPTS} times: out of memory? Fewer"
        " texts, or a smaller encoder, may do",
        **_ended(now),
    )
    expired.filter(attempt__lt=ATTEMPTS).update(**QUEUED)


QUEUED = {"state": State.QUEUED, "owner": "", "lease_until": None, "sent_at": None}


def _ended(now: datetime) -> dict[str, Any]:
    return {"lease_until": None, "finished_at": now}


def _still(probe: Probe) -> QuerySet[Probe]:
    """The row, if the attempt that read `probe` still holds it: the fence."""
    return Probe.objects.filter(
        pk=probe.pk, owner=probe.owner, attempt=probe.attempt, state=State.RUNNING
    )
