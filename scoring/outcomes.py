"""What a run gave: its outputs in one table, and why some texts have no score."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Avg, Count, Max, Min, Q
from django.db.models.functions import Round

from annotation.models import Study
from scoring.meta_evaluation import outputs_of
from scoring.metrics import Output
from scoring.models import MetricRun, NegativeScore, Score, SystemScore


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """One output over all texts (or systems) of the study that have it."""

    output: Output
    n: int  # with a value
    undefined: int
    mean: float | None
    low: float | None
    high: float | None
    fractions: int  # values that are no whole numbers
    per_system: bool

    @property
    def whole(self) -> bool:
        """Whether the values are counts, to be shown without decimals."""
        return self.fractions == 0


@dataclass(frozen=True, slots=True)
class Undefined:
    """How many scores do not exist for the same reason."""

    output: str
    reason: str
    n: int


def summary(*, run: MetricRun) -> list[OutputSummary]:
    """Two queries; nothing before a worker has taken the run's signature."""
    if run.signature is None:
        return []
    outputs = {output.key: output for output in outputs_of(run.signature)}
    return [
        OutputSummary(outputs[row.pop("output")], per_system=per_system, **row)
        for per_system, scores in _tables(run)
        for row in _summed(scores)
        if row["output"] in outputs
    ]


def undefined(*, run: MetricRun) -> list[Undefined]:
    """Reasons, the most frequent first. Two queries."""
    if run.signature is None:
        return []
    rows = [
        Undefined(output, reason or "no reason given", n)
        for _, scores in _tables(run)
        for output, reason, n in scores.filter(value=None)
        .values_list("output", "reason")
        .annotate(n=Count("pk"))
    ]
    return sorted(rows, key=lambda row: (-row.n, row.output, row.reason))


def notes(*, study: Study, signature: int | None = None) -> list[tuple[str, str]]:
    """What metrics noted about their scores, each sentence once, by metric. One query.

    Of all runs: one whose scores were there already has not scored, nor noted, a thing.
    """
    runs = study.runs.filter(signature__isnull=False, on=MetricRun.On.TEXTS)
    runs = runs.exclude(notes=[])
    runs = runs.filter(signature=signature) if signature else runs
    found = runs.order_by("metric", "pk").values_list("metric", "notes")
    return list(dict.fromkeys((metric, note) for metric, ns in found for note in ns))


def scores(*, study: Study, run: MetricRun) -> tuple[list[str], list[list]]:
    """Header and a row for each score of the run's signature in this study."""
    if run.on == MetricRun.On.NEGATIVES:
        return _negative_scores(study, run)
    header = ["generation", "system", "output", "value", "reason"]
    texts = Score.objects.filter(signature=run.signature, generation__study=study)
    rows = texts.order_by("generation_id", "id").values_list(
        "generation__key", "generation__system__name", "output", "value", "reason"
    )
    found = SystemScore.objects.filter(signature=run.signature, system__study=study)
    system_rows = found.values_list("system__name", "output", "value", "reason")
    return header, [*map(list, rows), *(["", *row] for row in system_rows)]


def _negative_scores(study: Study, run: MetricRun) -> tuple[list[str], list[list]]:
    header = ["survey", "perturbation", "output", "value", "reason"]
    found = NegativeScore.objects.filter(
        signature=run.signature, negative__survey__study=study
    )
    rows = found.order_by("negative__survey__number", "id").values_list(
        *("negative__survey__number", "negative__perturbation"),
        *("output", "value", "reason"),
    )
    return header, [list(row) for row in rows]


def _tables(run: MetricRun) -> list[tuple[bool, object]]:
    if run.on == MetricRun.On.NEGATIVES:
        found = NegativeScore.objects.filter(
            signature=run.signature, negative__survey__study=run.study_id
        )
        return [(False, found.order_by())]
    texts = Score.objects.filter(
        signature=run.signature, generation__study=run.study_id
    )
    systems = SystemScore.objects.filter(
        signature=run.signature, system__study=run.study_id
    )
    return [(False, texts.order_by()), (True, systems.order_by())]


def _summed(scores) -> list[dict]:
    return list(
        scores.values("output").annotate(
            n=Count("value"),
            undefined=Count("pk", filter=Q(value=None)),
            mean=Avg("value"),
            low=Min("value"),
            high=Max("value"),
            fractions=Count(
                "pk", filter=Q(value__lt=Round("value")) | Q(value__gt=Round("value"))
            ),
        )
    )
