"""What a run gave: its outputs in one table, and why some texts have no score."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, Max, Min, Q, QuerySet
from django.db.models.functions import Round

from annotation.models import Study
from scoring.metrics import Output
from scoring.models import MetricRun, NegativeScore, Score, SystemScore
from scoring.scores import systems as system_scores
from scoring.scores.outputs import outputs_of
from scoring.scores.systems import Given

AT_ONCE = 2_000  # scores that are read
Rows = Iterator[tuple[Any, ...]]


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
    """Six queries at most; nothing before a worker has taken the run's signature."""
    if run.signature is None:
        return []
    outputs = {output.key: output for output in outputs_of(run.signature)}
    of_texts = [
        OutputSummary(outputs[row.pop("output")], per_system=False, **row)
        for row in _summed(_of_texts(run))
        if row["output"] in outputs
    ]
    of_systems = [
        _over_systems(outputs[key], [one.mean for one in found.values()])
        for key, found in _given(run).items()
        if key in outputs
    ]
    return of_texts + of_systems


def _given(run: MetricRun) -> dict[str, dict[int, Given]]:
    """What systems got, by output."""
    found = system_scores.read(study=run.study, signature=run.signature)
    return {key: given for (_, key), given in found.given.items()}


def _over_systems(output: Output, means: list[float | None]) -> OutputSummary:
    """Each system counts once, with its mean over seeds."""
    values = [mean for mean in means if mean is not None]
    return OutputSummary(
        output,
        n=len(values),
        undefined=len(means) - len(values),
        mean=statistics.fmean(values) if values else None,
        low=min(values, default=None),
        high=max(values, default=None),
        fractions=sum(not value.is_integer() for value in values),
        per_system=True,
    )


def undefined(*, run: MetricRun) -> list[Undefined]:
    """Reasons, the most frequent first; a system counts once. Five queries at most."""
    if run.signature is None:
        return []
    of_texts = _of_texts(run).filter(value=None).values_list("output", "reason")
    counted = [
        *of_texts.annotate(n=Count("pk")),
        *(
            (key, reason, n)
            for key, found in _given(run).items()
            for reason, n in Counter(
                one.reason for one in found.values() if None in one.values
            ).items()
        ),
    ]
    titles = {output.key: output.title for output in outputs_of(run.signature)}
    rows = [
        Undefined(titles.get(output, output), reason or "no reason given", n)
        for output, reason, n in counted
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


def scores(*, study: Study, run: MetricRun) -> tuple[list[str], Rows]:
    """Header and a row for each score of the run's signature in this study.

    Scores of systems have a row for each seed. Rows are read as they are asked for.
    """
    if run.on == MetricRun.On.NEGATIVES:
        return _negative_scores(study, run)
    if of_systems(run=run):
        return _scores_of_systems(run)
    header = ["generation", "system", "output", "value", "reason"]
    texts = Score.objects.filter(signature=run.signature, generation__study=study)
    rows = texts.order_by("generation_id", "id").values_list(
        "generation__key", "generation__system__name", "output", "value", "reason"
    )
    return header, rows.iterator(chunk_size=AT_ONCE)


def of_systems(*, run: MetricRun) -> bool:
    """Whether its scores are of whole systems."""
    return _of_systems(run).exists()


def _scores_of_systems(run: MetricRun) -> tuple[list[str], Rows]:
    header = ["system", "output", "seed", "value", "reason"]
    rows = _of_systems(run).order_by("system_id", "output", "seed")
    found = rows.values_list("system__name", "output", "seed", "value", "reason")
    return header, found.iterator(chunk_size=AT_ONCE)


def _negative_scores(study: Study, run: MetricRun) -> tuple[list[str], Rows]:
    header = ["survey", "perturbation", "output", "value", "reason"]
    found = NegativeScore.objects.filter(
        signature=run.signature, negative__survey__study=study
    )
    rows = found.order_by("negative__survey__number", "id").values_list(
        *("negative__survey__number", "negative__perturbation"),
        *("output", "value", "reason"),
    )
    return header, rows.iterator(chunk_size=AT_ONCE)


def _of_texts(
    run: MetricRun,
) -> QuerySet[Score] | QuerySet[NegativeScore]:
    """Scores of texts, or of the negatives where the run is on these."""
    if run.on == MetricRun.On.NEGATIVES:
        found = NegativeScore.objects.filter(
            signature=run.signature, negative__survey__study=run.study_id
        )
        return found.order_by()
    texts = Score.objects.filter(
        signature=run.signature, generation__study=run.study_id
    )
    return texts.order_by()


def _of_systems(run: MetricRun) -> QuerySet[SystemScore]:
    systems = SystemScore.objects.filter(
        signature=run.signature, system__study=run.study_id
    )
    return systems.order_by()


def _summed(scores: QuerySet[Any]) -> list[dict[str, Any]]:
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
