"""Anchors are frozen with an agreement, asked again within it, and ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import Study
from scoring.endpoints import configuration
from scoring.judging import estimates, rate_limits, trials
from scoring.judging.anchors import (
    KIND,
    MOST_LOOKS,
    askings,
    check_words,
    next_round,
)
from scoring.judging.ledger import Limit
from scoring.judging.trial_report import TrialError
from scoring.metrics import OptionError
from scoring.models import AnchorSet, JudgeTrial


def freeze(
    *,
    study: Study,
    options: Mapping[str, Any],
    texts: list[dict[str, Any]],
    looks: int,
    limit: Limit,
    user: Any = None,
) -> AnchorSet:
    """Keep the texts, and what somebody agreed to for each asking; ask once.

    Raises:
        OptionError, MetricError: What is wrong with the options.
    """
    if not 1 <= looks <= MOST_LOOKS:
        raise OptionError(f"looks={looks}: expected 1 to {MOST_LOOKS}")
    with transaction.atomic():
        anchor_set = AnchorSet.objects.create(
            study=study,
            options=trials.checked_options(options),
            texts=texts,
            looks=looks,
            most_calls=limit.calls,
            most_cost=limit.cost,
            currency=limit.currency,
            agreed_at=timezone.now(),
            created_by=user,
        )
        ask(anchors=anchor_set, user=user)
    return anchor_set


def end(*, anchors: AnchorSet) -> None:
    """Ask no more. What was found stays."""
    AnchorSet.objects.filter(pk=anchors.pk, ended_at=None).update(
        ended_at=timezone.now()
    )
    anchors.refresh_from_db()


def ask(*, anchors: AnchorSet, user: Any = None) -> JudgeTrial:
    """Queue one asking, within the limit of the set.

    Raises:
        TrialError: The set has ended, its looks are used, or one is under way.
        OptionError, MetricError: The judge is no longer set up.
    """
    with transaction.atomic():
        held = AnchorSet.objects.select_for_update().get(pk=anchors.pk)
        if held.ended_at:
            raise TrialError("these anchors have ended: choose new ones to go on")
        rows = askings(held)
        unfinished = [row for row in rows if not row.ended]
        if unfinished:
            raise TrialError("the judge is being asked about these anchors already")
        check_words(rows)
        if sum(row.state == row.State.DONE for row in rows) > held.looks:
            raise TrialError(
                f"these anchors have used all {held.looks} planned repeats: choose new"
                " ones to go on"
            )
        endpoint, _ = configuration.resolve(held.judge, estimates.all_endpoints())
        rate_limits.lock(rate_limits.gate(endpoint))  # nobody else takes the same round
        return trials.start(
            study=held.study,
            kind=KIND,
            options=held.options,
            setup={"anchors": held.pk, "round": next_round(held.judge)},
            limit=Limit(held.most_calls, held.most_cost, held.currency),
            user=user,
        )
