"""Scores of texts, aligned: for each output a number for each text."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from annotation.models import Study
from scoring.metrics import Output
from scoring.models import Score, Signature
from scoring.scores import baselines, option_sets
from scoring.scores.outputs import outputs_of

FEW = 5_000  # texts


@dataclass(frozen=True, slots=True)
class MetricScores:
    """One output under one signature; values as given, in the order of the texts."""

    signature: Signature
    output: Output
    variant: str  # tells two signatures of one metric apart
    values: np.ndarray  # (n,) float64, NaN = undefined or not scored
    reason: str = ""  # why there are none


def metric_scores(
    *,
    study: Study,
    generations: np.ndarray,
    signature: Signature | None = None,
    output: str = "",
) -> list[MetricScores]:
    """Scores of these generations: of all outputs, or of one. Three queries at most.

    Those of a few are looked up; of more, all scores of the study are read.
    """
    order = np.argsort(generations)
    ids = generations[order]
    values: dict[tuple[int, str], np.ndarray] = defaultdict(
        lambda: np.full(len(ids), np.nan)
    )
    found = Score.objects.filter(generation__study=study).order_by()
    if len(ids) <= FEW:
        found = found.filter(generation__in=ids.tolist())
    if signature:
        found = found.filter(signature=signature, output=output)
    for pk, key, generation, value in found.values_list(
        "signature_id", "output", "generation_id", "value"
    ).iterator(chunk_size=10_000):
        column = values[pk, key]
        at = np.searchsorted(ids, generation)
        if value is not None and at < len(ids) and ids[at] == generation:
            column[order[at]] = value
    signatures = list(Signature.objects.filter(pk__in={pk for pk, _ in values}))
    apart = option_sets.told_apart(study=study, signatures=signatures)
    return [
        MetricScores(one, given, apart[one.pk], values[one.pk, given.key])
        for one in sorted(signatures, key=lambda s: (s.metric, s.pk))
        for given in outputs_of(one)
        if (one.pk, given.key) in values
    ]


def lengths(
    *, study: Study, generations: np.ndarray, scored: set[str]
) -> list[MetricScores]:
    """As a run of the metric gives them, unless one has; none where nobody rated."""
    if baselines.METRIC in scored or not len(generations):
        return []
    signed = Signature(text=baselines.signature(), metric=baselines.METRIC)
    found = baselines.lengths(study=study, generations=generations)
    return [MetricScores(signed, f.output, "", f.values, f.reason) for f in found]
