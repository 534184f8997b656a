"""Go on with a run that stopped at its limit: a higher limit, and what is missing."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from scoring.endpoints import admission
from scoring.judging import estimating, spending, telling
from scoring.judging.spending import Limit, LimitError
from scoring.models import Chunk, MetricRun, NegativeScore, Score
from scoring.runs.starting import RunError

State = MetricRun.State


def raise_limit(*, run: MetricRun, limit: Limit, user: Any) -> None:
    """Set a higher limit and queue the parts again that stopped at the old one.

    What was answered is kept, so nothing is asked or paid twice.

    Raises:
        RunError: The run did not stop at its limit, the new one is no higher, or they
            may not spend.
    """
    with transaction.atomic():
        found = MetricRun.objects.select_for_update().get(pk=run.pk)
        if not telling.reached(found):
            raise RunError("only a run that stopped at its limit can go on like this")
        try:
            for endpoint in estimating.named_in(found.options):
                spending.check_permission(endpoint, user)
            spending.check_higher(found, limit)
        except LimitError as error:
            raise RunError(str(error)) from None
        found.most_calls, found.most_cost = limit.calls, limit.cost
        found.agreed_at, found.agreed_by = timezone.now(), user
        found.state, found.error = State.QUEUED, ""
        found.started_at = found.finished_at = None
        found.notes = [one for one in found.notes if not telling.says_so(one)]
        found.save()
        _queue(found)
    run.refresh_from_db()


def _queue(run: MetricRun) -> None:
    """The parts that did not end, and those with texts that were not asked about."""
    left = unasked(run)
    ended = run.chunks.filter(state=Chunk.State.DONE)
    again = [chunk.pk for chunk in ended if left & set(chunk.generations)]
    # As if they had been cancelled: their other texts keep their scores.
    run.chunks.filter(pk__in=again).update(state=Chunk.State.CANCELLED)
    leases.retry(run.chunks.all(), done_items=0, passed_at=None)
    queued = run.chunks.filter(state=Chunk.State.QUEUED)
    wake_on_commit(Chunk, list(queued.values_list("pk", flat=True)))


def unasked(run: MetricRun) -> set[int]:
    """Texts of which the scores only say that the limit was reached."""
    of_negatives = run.on == MetricRun.On.NEGATIVES
    kind = NegativeScore if of_negatives else Score
    field = "negative" if of_negatives else "generation"
    whose = "negative__survey__study" if of_negatives else "generation__study"
    unasked = kind._default_manager.filter(
        Q(**{whose: run.study_id}),
        signature=run.signature_id,
        reason__in=admission.LIMITS_REACHED,
        value=None,
    )
    return set(unasked.values_list(f"{field}_id", flat=True))
