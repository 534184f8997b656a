"""Ratings and scores as imports and workers would leave them, for tests of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.utils import timezone

from annotation.models import Annotation, Import, ImportedMean, Study
from scoring import metrics
from scoring.metrics import Output
from scoring.models import Score, Signature, SystemScore
from scoring.results import overview

COHERENCE = Output("coherence", "Coherence", "nats", True, measures="coherence")
LOSS = Output("nll", "Negative log-likelihood", "nats per token", False)
ZIPF = Output("zipf", "Zipf exponent", "slope", None)


def rate(study: Study, aspect: str, ratings: Sequence[Sequence[int]]) -> None:
    """Give the k-th text of the study the k-th ratings, as if from a file."""
    imported = Import.objects.create(study=study, format="csv", file_name="ratings.csv")
    measured = study.aspects.get(key=aspect)
    Annotation.objects.bulk_create(
        Annotation(
            imported=imported,
            generation=generation,
            aspect=measured,
            value=value,
            updated_at=timezone.now(),
        )
        for generation, values in zip(study.generations.all(), ratings, strict=False)
        for value in values
    )


def of_two_systems(make_study) -> Study:
    """Both rated and scored on six prompts; the name of one is HTML."""
    study = make_study(prompts=6, systems=("a", "<b>b</b>"))
    rate(study, "coherence", [[n % 2 + 3, n % 2 + 2] for n in range(12)])
    score(study, COHERENCE, [n / 12 for n in range(12)])
    return study


def give_means(study: Study, aspect: str, means: Sequence[float]) -> None:
    imported = Import.objects.create(study=study, format="csv", file_name="means.csv")
    measured = study.aspects.get(key=aspect)
    for generation, mean in zip(study.generations.all(), means, strict=False):
        ImportedMean.objects.create(
            imported=imported, generation=generation, aspect=measured, mean=mean
        )


def score(
    study: Study,
    output: Output,
    values: Sequence[float | None],
    *,
    metric: str = "judge",
    signature: str = "judge|v:1",
) -> Signature:
    """Give the k-th text of the study the k-th value; None: undefined."""
    found = signed(output, metric=metric, signature=signature)
    Score.objects.bulk_create(
        Score(
            signature=found,
            generation=generation,
            output=output.key,
            value=value,
            reason="" if value is not None else "too short",
        )
        for generation, value in zip(study.generations.all(), values, strict=False)
    )
    return found


def score_systems(
    study: Study,
    output: Output,
    values: dict[str, float | None | Sequence[float | None]],
    *,
    metric: str,
) -> Signature:
    """Give a system its number, or one for each seed; None: undefined."""
    known = metric in metrics.names()
    version = metrics.get(metric).version if known else 1
    found = signed(output, metric=metric, signature=f"{metric}|v:{version}")
    SystemScore.objects.bulk_create(
        SystemScore(
            signature=found,
            system=study.systems.get(name=name),
            output=output.key,
            seed=seed,
            value=value,
            reason="" if value is not None else "too few texts",
        )
        for name, given in values.items()
        for seed, value in enumerate(given if isinstance(given, Sequence) else [given])
    )
    return found


def signed(output: Output, *, metric: str, signature: str) -> Signature:
    found, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(signature),
        defaults={"text": signature, "metric": metric, "outputs": []},
    )
    found.outputs = [*found.outputs, asdict(output)]
    found.save()
    return found


def table_of_systems(
    *, study: Study, with_excluded: bool = False
) -> overview.SystemTable:
    found = overview.now(study=study, with_excluded=with_excluded)
    return overview.systems(study=study, result=found)
