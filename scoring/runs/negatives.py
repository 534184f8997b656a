"""Score the negatives with the metrics that scored the texts: one run for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from annotation.models import Negative, Study
from scoring.judging.ledger import Limit
from scoring.metrics import OptionError, UnknownMetric
from scoring.metrics import names as metric_names
from scoring.models import MetricRun, NegativeScore, Signature
from scoring.runs import starting as runs
from scoring.runs.starting import RunError
from scoring.scores import option_sets, present

NOT_OURS = "its scores were uploaded, so EvalApp cannot score the negatives"
NO_RUN = "the run that scored the texts was deleted, so its options are not known"
OTHER = (
    "the same options now give another signature, for example because the files of a"
    " model have changed"
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric that scored texts, and how far it is with the negatives."""

    signature: Signature
    label: str
    options: dict[str, Any]
    missing: int  # negatives without its scores
    run: MetricRun | None  # the newest that was to score them
    reason: str  # why it cannot score what is missing

    @property
    def under_way(self) -> bool:
        return self.run is not None and not self.run.ended

    @property
    def stopped(self) -> bool:
        return self.run is not None and self.run.state in ("failed", "cancelled")

    @property
    def wanted(self) -> bool:
        """Whether a run would help."""
        return bool(self.missing and not self.reason and not self.under_way)


def metrics(*, study: Study) -> list[Metric]:
    """One for each signature of scores of texts; none without negatives."""
    total = Negative.objects.filter(survey__study=study).count()
    if not total:
        return []
    signatures = present.signatures(study=study)
    apart = option_sets.told_apart(study=study, signatures=signatures)
    runs_of = _Runs(study)
    scored = _scored(study)
    return [
        Metric(
            signature,
            label=f"{signature.metric} ({told})" if told else signature.metric,
            missing=total - scored.get(signature.pk, 0),
            **runs_of(signature),
        )
        for signature in signatures.order_by("metric", "pk")
        for told in [apart[signature.pk]]
    ]


def start_missing(
    *, study: Study, user: Any = None, limits: Mapping[int, Limit] | None = None
) -> tuple[list[MetricRun], list[str]]:
    """Start a run for each metric that lacks scores of negatives.

    Args:
        study: Whose negatives are scored.
        user: Who wants it.
        limits: By the key of the signature, of judges over the network.

    Returns:
        The runs, and why others could not be started.
    """
    started, problems = [], []
    for metric in metrics(study=study):
        if not metric.wanted:
            continue
        try:
            run = runs.start(
                study=study,
                metric=metric.signature.metric,
                options=metric.options,
                user=user,
                on=MetricRun.On.NEGATIVES,
                limit=(limits or {}).get(metric.signature.pk),
            )
        except (OptionError, RunError, UnknownMetric) as error:
            problems.append(f"{metric.label}: {error}")
        else:
            started.append(run)
    return started, problems


def _scored(study: Study) -> dict[int, int]:
    """How many negatives have scores, by signature."""
    found = NegativeScore.objects.filter(negative__survey__study=study).order_by()
    counted = found.values("signature").annotate(n=Count("negative", distinct=True))
    return dict(counted.values_list("signature", "n"))


class _Runs:
    """The runs of a study. Two queries."""

    def __init__(self, study: Study) -> None:
        runs = list(study.runs.order_by("pk"))
        # Of its like the newest comes last, and stays.
        self.texts = {
            run.signature_id: run for run in runs if run.on == MetricRun.On.TEXTS
        }
        self.negatives = [run for run in runs if run.on == MetricRun.On.NEGATIVES]
        self.ours = set(metric_names())

    def __call__(self, signature: Signature) -> dict[str, Any]:
        """Options, run and reason of a metric."""
        if signature.metric not in self.ours:
            return {"options": {}, "run": None, "reason": NOT_OURS}
        made = self.texts.get(signature.pk)
        if made is None:
            return {"options": {}, "run": None, "reason": NO_RUN}
        alike = [run for run in self.negatives if self._alike(run, made)]
        run = alike[-1] if alike else None
        other = run is not None and run.signature_id not in (None, signature.pk)
        return {"options": made.options, "run": run, "reason": OTHER if other else ""}

    @staticmethod
    def _alike(run: MetricRun, made: MetricRun) -> bool:
        """Whether it was to score negatives as `made` scored texts."""
        if (run.metric, run.options) != (made.metric, made.options):
            return False
        return run.signature_id == made.signature_id or run.pk > made.pk
