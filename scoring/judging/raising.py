"""Go on with a trial that stopped at its limit: a higher limit, and what is missing."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from scoring.judging import anchors, estimating, spending, telling
from scoring.judging.reporting import TrialError
from scoring.judging.spending import Limit
from scoring.models import AnchorSet, JudgeTrial

State = JudgeTrial.State


def raise_limit(*, trial: JudgeTrial, limit: Limit, user: Any) -> None:
    """Set a higher limit and queue the trial again: answers that came are kept.

    The limit of anchors is the same in each round, so it is raised for those to come.

    Raises:
        TrialError: The trial did not stop at its limit, or cannot go on.
        LimitError: The new limit is no higher, or they may not spend.
    """
    for endpoint in estimating.named_in(trial.options):
        spending.check_permission(endpoint, user)
    is_anchors = trial.kind == anchors.KIND
    with transaction.atomic():
        # The anchors first, as in `trials.retry`: otherwise each of the two could wait
        # for the other.
        held = anchors.check_can_go_on(trial) if is_anchors else None
        found = JudgeTrial.objects.select_for_update().get(pk=trial.pk)
        if not telling.reached(found):
            raise TrialError(
                "only work that stopped at its limit can continue with a higher one"
            )
        spending.check_higher(found, limit)
        agreed = spending.columns(limit, user=user, now=timezone.now())
        if held:  # each asking of a set has its own who agreed
            own = {name: agreed[name] for name in agreed if name != "agreed_by"}
            AnchorSet.objects.filter(pk=held.pk).update(**own)
        rows = JudgeTrial.objects.filter(pk=found.pk)
        # A comparison of pairs ends well, with gaps.
        rows.filter(state=State.DONE).update(state=State.CANCELLED)
        # Its verdicts stand until there are more: the judge may not answer again.
        notes = [note for note in found.notes if not telling.says_so(note)]
        begun: dict[str, Any] = {"done_items": 0, "started_at": None, "notes": notes}
        leases.retry(rows, **begun, **agreed)
        wake_on_commit(JudgeTrial, [found.pk])
    trial.refresh_from_db()
