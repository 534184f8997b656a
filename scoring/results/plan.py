"""What will be reported, decided before anyone rates: a plan, which is then locked.

It fixes quality control, the primary aspect, the coefficient, what texts are compared
within, and the metrics.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events
from annotation.models import Annotation, ImportedMean, Study
from scoring.analyses.shared.grouping import GROUPINGS, Compared
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.models import Plan
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Filters, Output
from scoring.stats.grouping import AUTO


class PlanError(ValueError):
    """The plan cannot be saved or locked. The message says why."""


def find(*, study: Study) -> Plan | None:
    found = Plan.objects.filter(study=study).select_related("policy", "aspect")
    return found.select_related("locked_by").first()


def locked(*, study: Study) -> Plan | None:
    """The plan, where it counts."""
    plan = find(study=study)
    return plan if plan is not None and plan.locked_at is not None else None


def with_grouping(*, study: Study, options: Filters) -> Filters:
    """Where a rule would choose which texts are compared: as the locked plan says."""
    if not isinstance(options, Compared) or options.grouping != AUTO:
        return options
    plan = locked(study=study)
    return options if plan is None else replace(options, grouping=plan.grouping)


def why_too_late(*, study: Study) -> str:
    """Why nothing can be planned any more; empty where it can. A few small queries."""
    if study.state != Study.State.DRAFT:
        return "This study has been opened, so it is too late to lock a plan."
    rated = Annotation.objects.filter(aspect__study=study)
    means = ImportedMean.objects.filter(aspect__study=study)
    if rated.exists() or means.exists() or study.votes.exists():
        return "This study already has ratings, so it is too late to lock a plan."
    return ""


def copy(*, source: Study, study: Study, **signal: object) -> None:
    """Give a copied study the plan of its source, not locked: it may still change."""
    if plan := find(study=source):
        what = ("coefficient", "grouping", "metrics", "note")
        Plan.objects.create(
            study=study,
            policy=study.current_policy(),
            aspect=study.aspects.get(key=plan.aspect.key),
            **{name: getattr(plan, name) for name in what},
        )


def save(*, study: Study, **what: Any) -> Plan:
    """Keep a draft: aspect, coefficient, grouping, metrics, note.

    Raises:
        PlanError: If the plan is locked, or it is too late for one.
    """
    with transaction.atomic():
        _refuse_unless_open_to_change(study)
        policy = study.current_policy()
        plan, _ = Plan.objects.update_or_create(
            study=study, defaults={**what, "policy": policy}
        )
    return plan


def lock(*, study: Study, user: User, now: datetime) -> Plan:
    """Lock the plan, with the quality control that applies now.

    Raises:
        PlanError: If it is locked already, too late, or names no metric.
    """
    with transaction.atomic():
        _refuse_unless_open_to_change(study)
        plan = find(study=study)
        if plan is None or not plan.metrics:
            raise PlanError("Save a plan with at least one metric first.")
        plan.policy = study.current_policy()
        plan.locked_at, plan.locked_by = now, user
        plan.save()
        detail = "; ".join([*_facts(plan), *map(named, plan.metrics)])
        events.log(
            study=study,
            verb="locked-plan",
            now=now,
            user=user,
            about=plan.aspect.key,
            detail=detail,
        )
    return plan


def is_planned(plan: Plan, output: Output) -> bool:
    """Whether a plan names this output; options that it leaves open may be any."""
    chosen = json.loads(output.options or "{}")
    return any(
        (one["metric"], one["output"]) == (output.metric, output.key)
        and one["options"].items() <= chosen.items()
        for one in plan.metrics
    )


def named(metric: Mapping[str, object]) -> str:
    """A metric of a plan in one line: "ctrleval:coherence {"model": "..."}"."""
    options = json.dumps(metric["options"]) if metric["options"] else ""
    return f"{metric['metric']}:{metric['output']} {options}".strip()


def _facts(plan: Plan) -> list[str]:
    return [
        COEFFICIENTS[cast(CoefficientName, plan.coefficient)],
        f"texts compared: {GROUPINGS[plan.grouping]}",
        f"quality control version {plan.policy.version}",
    ]


def _refuse_unless_open_to_change(study: Study) -> None:
    """Call it in a transaction: who opens the study or locks the plan now waits."""
    current = Study.objects.select_for_update().get(pk=study.pk)
    plan = find(study=study)
    if plan and plan.locked_at:
        raise PlanError(
            f"The plan was locked on {day(plan.locked_at)} and cannot change."
        )
    if reason := why_too_late(study=current):
        raise PlanError(reason)


def day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"
