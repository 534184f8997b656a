"""Trials of a judge: started with a limit, done by a worker, cancelled, tried again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Study
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.retries import Clock
from scoring import metrics
from scoring.endpoints import configuration
from scoring.judging import anchors, estimating, pairs, spending, steps, stress
from scoring.judging.reporting import Report, TrialError
from scoring.judging.spending import Limit, LimitError
from scoring.metrics import MetricError, OptionError
from scoring.models import JudgeTrial

__all__ = [
    "KINDS",
    "Limit",
    "LimitError",
    "Report",
    "TrialError",
    "cancel",
    "checked_options",
    "compute",
    "retry",
    "start",
]

METRIC = "llm_judge"  # whose options a trial has


# What a kind of trial finds, as plain numbers, lists and words. It may set `signature`
# and `notes` of the row, which are saved with the result.
Kind = Callable[[JudgeTrial, Report], dict[str, Any]]
# What a kind makes of its setup before a row is written; raises OptionError, TrialError
Check = Callable[[Study, Mapping[str, Any]], dict[str, Any]]

KINDS: dict[str, Kind] = {
    JudgeTrial.Kind.PAIRS: pairs.run,
    JudgeTrial.Kind.STRESS: stress.run,
    JudgeTrial.Kind.ANCHORS: anchors.run,
    JudgeTrial.Kind.STEPS: steps.run,
}
CHECKS: dict[str, Check] = {
    JudgeTrial.Kind.PAIRS: pairs.check,
    JudgeTrial.Kind.STRESS: stress.checked,
}

# Errors that a user can cure, each told in its own words.
FINAL: retries.Errors = (LimitError, MetricError, OptionError, TrialError)


def start(
    *,
    study: Study,
    kind: str,
    options: Mapping[str, Any],
    setup: Mapping[str, Any],
    limit: Limit,
    user: Any = None,
) -> JudgeTrial:
    """Queue a trial that somebody agreed to, and wake a worker up.

    Args:
        study: Whose texts are shown to the judge.
        kind: One of KINDS.
        options: Of the metric llm_judge; `model` is one of an endpoint.
        setup: What this kind of trial needs besides.
        limit: The most that it may ask and spend.
        user: Who agreed.

    Raises:
        OptionError: Names the option and says what would do.
        MetricError: There is no such endpoint or model.
        LimitError: The endpoint cannot be asked under this limit.
        TrialError: The study lacks what the trial needs.
    """
    if kind not in KINDS:
        raise OptionError(f"kind={kind[:60]}: expected one of: {', '.join(KINDS)}")
    checked = checked_options(options)
    agreed = _agreed(limit, checked["model"], user)
    ready = CHECKS[kind](study, setup) if kind in CHECKS else dict(setup)
    with transaction.atomic():
        trial = JudgeTrial.objects.create(
            study=study,
            kind=kind,
            options=checked,
            setup=ready,
            created_by=user,
            **agreed,
        )
        wake_on_commit(JudgeTrial, [trial.pk])
    return trial


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of the judge, with defaults for those left out.

    Raises:
        OptionError, MetricError: What is wrong, and what would do.
    """
    model = str(options.get("model", "")).strip()
    if not model.startswith(configuration.PREFIX):
        raise OptionError(
            f"model={model[:100]}: a trial asks a model behind an address, like"
            f" {configuration.FORM}"
        )
    made = metrics.get(METRIC)(**{**options, "model": model})
    made.check()
    configuration.check_mode(model, made.options.mode, estimating.known())
    return dataclasses.asdict(made.options)


def cancel(*, trial: JudgeTrial) -> None:
    """Its worker notices at its next sign of progress. Of an ended one: nothing."""
    leases.cancel(JudgeTrial.objects.filter(pk=trial.pk), now=timezone.now())
    trial.refresh_from_db()


def retry(*, trial: JudgeTrial, limit: Limit | None = None, user: Any = None) -> None:
    """Queue a trial again that failed or was cancelled; answers that came are kept.

    Args:
        trial: Which.
        limit: A new one, agreed to now. What was spent before counts.
        user: Who agreed to it.

    Raises:
        TrialError: It neither failed nor was cancelled, or its anchors went on.
        LimitError: The endpoint cannot be asked under the new limit.
    """
    agreed = {"agreed_by": user} if user and trial.agreed_at else {}
    if limit:
        agreed = _agreed(limit, trial.options["model"], user)
    begun: dict[str, Any] = {"done_items": 0, "started_at": None, **agreed}
    with transaction.atomic():
        if trial.kind == anchors.KIND:
            anchors.check_can_go_on(trial)
        if not leases.retry(JudgeTrial.objects.filter(pk=trial.pk), **begun):
            raise TrialError("only a trial that failed or was cancelled can be retried")
        wake_on_commit(JudgeTrial, [trial.pk])
    trial.refresh_from_db()


def compute(*, trial_id: int, owner: str, clock: Clock) -> None:
    """Do a trial if it is free. Whatever happens is written in its row."""
    rows = JudgeTrial.objects.select_related("study")
    now = clock()
    # Kept over attempts: failures since then count, whichever worker met them.
    begun = {"started_at": Coalesce("started_at", Value(now))}
    trial = leases.take(rows, pk=trial_id, owner=owner, now=now, **begun)
    if trial is not None:
        retries.attempt(trial, partial(_compute, clock), clock=clock, final=FINAL)


def _compute(clock: Clock, trial: JudgeTrial) -> None:
    result = KINDS[trial.kind](trial, Report(trial, clock))
    found = {"signature": trial.signature, "notes": trial.notes, "result": result}
    leases.finish(trial, now=clock(), **found)


def _agreed(limit: Limit, model: str, user: Any) -> dict[str, Any]:
    endpoint, _ = configuration.chosen(model, estimating.known())
    spending.check(limit, endpoint, user)
    return spending.columns(limit, user=user, now=timezone.now())
