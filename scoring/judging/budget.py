"""Go on with what stopped at its limit: a higher limit, and what is missing."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from scoring.endpoints import admission
from scoring.judging import anchors, estimates, ledger, usage_report
from scoring.judging.ledger import Limit, LimitError
from scoring.judging.trial_report import TrialError
from scoring.models import AnchorSet, Chunk, JudgeTrial, MetricRun, NegativeScore, Score


def raise_trial_limit(*, trial: JudgeTrial, limit: Limit, user: Any) -> None:
    """Set a higher limit and queue the trial again: answers that came are kept.

    The limit of anchors is the same in each round, so it is raised for those to come.

    Raises:
        TrialError: The trial did not stop at its limit, or cannot go on.
        LimitError: The new limit is no higher, or they may not spend.
    """
    for endpoint in estimates.named_in(trial.options):
        ledger.check_permission(endpoint, user)
    is_anchors = trial.kind == anchors.KIND
    with transaction.atomic():
        # The anchors first, as in `trials.retry`: otherwise each of the two could wait
        # for the other.
        held = anchors.check_can_go_on(trial) if is_anchors else None
        stopped = JudgeTrial.objects.select_for_update().get(pk=trial.pk)
        if not usage_report.reached(stopped):
            raise TrialError(
                "only work that stopped at its limit can continue with a higher one"
            )
        ledger.check_higher(stopped, limit)
        agreed = ledger.columns(limit, user=user, now=timezone.now())
        if held:  # each asking of a set has its own who agreed
            of_set = {name: agreed[name] for name in agreed if name != "agreed_by"}
            AnchorSet.objects.filter(pk=held.pk).update(**of_set)
        rows = JudgeTrial.objects.filter(pk=stopped.pk)
        # A comparison of pairs ends well, with gaps.
        rows.filter(state=JudgeTrial.State.DONE).update(
            state=JudgeTrial.State.CANCELLED
        )
        # Its verdicts stand until there are more: the judge may not answer again.
        notes = [note for note in stopped.notes if not usage_report.says_so(note)]
        begun: dict[str, Any] = {"done_items": 0, "started_at": None, "notes": notes}
        leases.retry(rows, **begun, **agreed)
        wake_on_commit(JudgeTrial, [stopped.pk])
    trial.refresh_from_db()


def raise_run_limit(*, run: MetricRun, limit: Limit, user: Any) -> None:
    """Set a higher limit and queue the parts again that stopped at the old one.

    What was answered is kept, so nothing is asked or paid twice.

    Raises:
        LimitError: The run did not stop at its limit, the new one is no higher, or they
            may not spend.
    """
    with transaction.atomic():
        stopped = MetricRun.objects.select_for_update().get(pk=run.pk)
        if not usage_report.reached(stopped):
            raise LimitError("only a run that stopped at its limit can go on like this")
        for endpoint in estimates.named_in(stopped.options):
            ledger.check_permission(endpoint, user)
        ledger.check_higher(stopped, limit)
        stopped.most_calls, stopped.most_cost = limit.calls, limit.cost
        stopped.agreed_at, stopped.agreed_by = timezone.now(), user
        stopped.state, stopped.error = MetricRun.State.QUEUED, ""
        stopped.started_at = stopped.finished_at = None
        stopped.notes = [
            note for note in stopped.notes if not usage_report.says_so(note)
        ]
        stopped.save()
        _queue(stopped)
    run.refresh_from_db()


def _queue(run: MetricRun) -> None:
    """The parts that did not end, and those with texts that were not asked about."""
    left = unasked_texts(run)
    ended = run.chunks.filter(state=Chunk.State.DONE)
    again = [chunk.pk for chunk in ended if left & set(chunk.generations)]
    # As if they had been cancelled: their other texts keep their scores.
    run.chunks.filter(pk__in=again).update(state=Chunk.State.CANCELLED)
    leases.retry(run.chunks.all(), done_items=0, passed_at=None)
    queued = run.chunks.filter(state=Chunk.State.QUEUED)
    wake_on_commit(Chunk, list(queued.values_list("pk", flat=True)))


def unasked_texts(run: MetricRun) -> set[int]:
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
