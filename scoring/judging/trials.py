"""Trials of a judge: started with a limit, done by a worker, cancelled, tried again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Study
from evalapp.work import leases, retries
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Clock
from scoring import metrics
from scoring.endpoints import configuration
from scoring.judging import anchors, estimates, ledger, pairs, steps, stress
from scoring.judging.ledger import Limit, LimitError
from scoring.judging.trial_report import Report, TrialError
from scoring.metrics import MetricError, OptionError
from scoring.models import JudgeTrial

__all__ = [
    "KINDS",
    "TRIALS",
    "Limit",
    "LimitError",
    "Report",
    "TrialError",
    "checked_options",
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
    JudgeTrial.Kind.STRESS: stress.validate_setup,
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
    agreed = _agreement_columns(limit, checked["model"], user)
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
    metric = metrics.get(METRIC)(**{**options, "model": model})
    metric.check()
    configuration.check_mode(model, metric.options.mode, estimates.all_endpoints())
    return dataclasses.asdict(metric.options)


class TrialWork(Work[JudgeTrial, JudgeTrial]):
    """Ask a judge more than for scores."""

    name = "trials"
    model = JudgeTrial
    related = ("study",)
    final = FINAL
    counted = ("done_items", "total_items")
    refusals = FINAL

    def columns(self, now: datetime) -> dict[str, Any]:
        # Kept over attempts: failures since then count, whichever worker met them.
        return {"started_at": Coalesce("started_at", Value(now))}

    def report(self, row: JudgeTrial, clock: Clock) -> Report:
        return Report(row, clock)

    def run(self, row: JudgeTrial, report: Report) -> None:
        result = KINDS[row.kind](row, report)
        saved = {"signature": row.signature, "notes": row.notes, "result": result}
        leases.finish(row, now=report.clock(), **saved)

    def words(self, job: JudgeTrial) -> str:
        return f"Asking the judge {job.options.get('model', '')}: {job.kind}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[JudgeTrial]:
        rows = JudgeTrial.objects.filter(study=study).select_related("study")
        return rows.defer("result", "setup")

    def retry(
        self, job: JudgeTrial, *, user: Any = None, limit: Limit | None = None
    ) -> None:
        """Queue a trial again that failed or was cancelled; answers that came are kept.

        Args:
            job: Which.
            user: Who agreed to the limit.
            limit: A new one, agreed to now. What was spent before counts.

        Raises:
            Refused: It neither failed nor was cancelled.
            TrialError: Its anchors went on.
            LimitError: The endpoint cannot be asked under the new limit.
        """
        agreed = {"agreed_by": user} if user and job.agreed_at else {}
        if limit:
            agreed = _agreement_columns(limit, job.options["model"], user)
        with transaction.atomic():
            if job.kind == anchors.KIND:
                anchors.check_can_go_on(job)
            self._queue_again(job, done_items=0, started_at=None, **agreed)

    def why_no_retry(self, job: JudgeTrial) -> str:
        return ledger.NOT_BY_PROGRAM


TRIALS = TrialWork()


def _agreement_columns(limit: Limit, model: str, user: Any) -> dict[str, Any]:
    endpoint, _ = configuration.resolve(model, estimates.all_endpoints())
    ledger.check(limit, endpoint, user)
    return ledger.columns(limit, user=user, now=timezone.now())
