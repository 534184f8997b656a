"""Who has which chunk, and until when. Each change is one conditional UPDATE.

No condition here may reach into another table: under READ COMMITTED, PostgreSQL checks
only the row's own columns again after waiting for a rival's UPDATE of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from scoring.models import Checkpoint, Chunk, MetricRun

ATTEMPTS = 3
# A worker's process renews its leases every few seconds (pulse.py); this is how long
# it may be held up, by a load that keeps Python's lock, before it counts as dead.
LEASE = timedelta(seconds=120)

State = Chunk.State
TRAINING = ("checkpoint__study", "checkpoint__corpus", "checkpoint__aspect__study")


def take(*, chunk_id: int, owner: str, now: datetime) -> Chunk | None:
    """Give the chunk to this worker; None where it is another's, or has ended."""
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lte=now)
    took = Chunk.objects.filter(free, pk=chunk_id, attempt__lt=ATTEMPTS).update(
        state=State.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lease_until=now + LEASE,
        done_items=0,
    )
    if not took:
        return None
    related = ("run__study", "run__corpus", "system", *TRAINING)
    chunk = Chunk.objects.select_related(*related).get(pk=chunk_id)
    MetricRun.objects.filter(pk=chunk.run_id, state=MetricRun.State.QUEUED).update(
        state=MetricRun.State.RUNNING, started_at=now
    )
    Checkpoint.objects.filter(
        pk=chunk.checkpoint_id, state=Checkpoint.State.QUEUED
    ).update(state=Checkpoint.State.RUNNING)
    return chunk


def note_sent(*, ids: Iterable[int], now: datetime) -> None:
    """The broker has taken a message for each."""
    Chunk.objects.filter(pk__in=list(ids)).update(sent_at=now)


def renew(*, chunk: Chunk, done: int, now: datetime) -> bool:
    """Report progress and stay the holder; False when cancelled or taken over."""
    return _still(chunk).update(done_items=done, lease_until=now + LEASE) == 1


def renew_all(*, owner: str, now: datetime) -> None:
    held = Chunk.objects.filter(owner=owner, state=State.RUNNING)
    held.update(lease_until=now + LEASE)


def finish(*, chunk: Chunk, now: datetime) -> bool:
    """Call this in one transaction with saving what was found. False: not ours now."""
    ended = {"state": State.DONE, "lease_until": None, "finished_at": now, "error": ""}
    cost = {"seconds": chunk.seconds, "scored": chunk.scored}
    return _still(chunk).update(done_items=F("total_items"), **ended, **cost) == 1


def fail(*, chunk: Chunk, error: str, now: datetime) -> None:
    ended = {"state": State.FAILED, "lease_until": None, "finished_at": now}
    _still(chunk).update(error=error, **ended)


def fail_queued(*, run_id: int, error: str, now: datetime) -> None:
    """Fail what is left of a run, where every chunk would fail in the same way."""
    left = Chunk.objects.filter(run=run_id, state=State.QUEUED)
    left.update(state=State.FAILED, error=error, finished_at=now)


def try_again(*, chunk: Chunk, error: str, now: datetime) -> None:
    """Queue the chunk again, or fail it after the last attempt."""
    if chunk.attempt >= ATTEMPTS:
        fail(chunk=chunk, error=f"{error} ({ATTEMPTS} attempts)", now=now)
    else:
        _still(chunk).update(error=error, **QUEUED)


def give_back(*, chunk: Chunk) -> None:
    """Queue the chunk again because its worker was told to stop: no attempt is lost."""
    _still(chunk).update(attempt=F("attempt") - 1, **QUEUED)


def expire(*, owner: str, now: datetime) -> int:
    """End the leases of a worker that is known to be dead. `owner` may be a prefix."""
    held = Chunk.objects.filter(owner__startswith=owner, state=State.RUNNING)
    return held.update(lease_until=now)


def requeue_expired(*, now: datetime) -> None:
    """Queue chunks of dead workers again, or fail them after the last attempt."""
    expired = Chunk.objects.filter(state=State.RUNNING, lease_until__lte=now)
    expired.filter(attempt__gte=ATTEMPTS).update(
        state=State.FAILED,
        lease_until=None,
        finished_at=now,
        error=f"the worker died at this chunk {ATTEMPTS} times: out of memory?",
    )
    expired.filter(attempt__lt=ATTEMPTS).update(**QUEUED)


def end_run(*, run_id: int, now: datetime) -> None:
    """Set the run done or failed if no chunk is left. Call it outside a transaction.

    Two last chunks that finish side by side do not see each other's unfinished
    transaction: inside it, each would leave the end to the other.
    """
    chunks = Chunk.objects.filter(run=run_id)
    if chunks.filter(state__in=Chunk.UNFINISHED).exists():
        return
    failed = chunks.filter(state=State.FAILED).order_by("finished_at", "index")
    error = failed.values_list("error", flat=True).first()
    state = MetricRun.State.DONE if error is None else MetricRun.State.FAILED
    _live_runs().filter(pk=run_id).update(
        state=state, error=error or "", finished_at=now
    )


def end_runs(*, now: datetime) -> None:
    """End runs whose last worker died between its chunk and `end_run`."""
    # Slices of trainings have no run, and nothing is outside a list with a NULL in it.
    unfinished = Chunk.objects.filter(state__in=Chunk.UNFINISHED, run__isnull=False)
    ended = _live_runs().exclude(pk__in=unfinished.values("run"))
    for run_id in ended.values_list("pk", flat=True):
        end_run(run_id=run_id, now=now)


QUEUED = {"state": State.QUEUED, "owner": "", "lease_until": None, "sent_at": None}


def _still(chunk: Chunk) -> QuerySet[Chunk]:
    """The row, if the attempt that read `chunk` still holds it: the fence."""
    return Chunk.objects.filter(
        pk=chunk.pk, owner=chunk.owner, attempt=chunk.attempt, state=State.RUNNING
    )


def _live_runs() -> QuerySet[MetricRun]:
    live = (MetricRun.State.QUEUED, MetricRun.State.RUNNING)
    return MetricRun.objects.filter(state__in=live)
