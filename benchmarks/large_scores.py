"""Scores of a large study, with the runs that they came from. For `large_data`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from large_rows import fill

from annotation.models import Negative, Study, System
from scoring import metrics
from scoring.models import (
    Chunk,
    MetricRun,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.runs.starting import texts_per_chunk

# 20 outputs of texts.
METRICS = ("length", "distinct", "repetition", "cdm", "ctrleval", "perplexity")
OF_SYSTEMS = ("corpus_distinct", "self_bleu")


def make(study: Study, user: Any, rng: np.random.Generator) -> None:
    """Finished runs, with a chunk for as many texts as they would have."""

    texts = list(study.generations.order_by("pk").values_list("pk", flat=True))
    systems = list(System.objects.filter(study=study))
    negatives = list(Negative.objects.order_by("pk").values_list("pk", flat=True))
    columns = ("signature_id", "output", "value")
    for metric in METRICS:
        signature, outputs = _run(study, user, metric, _cut(texts))
        values = rng.normal(0, 1, (len(texts), len(outputs))).round(6).tolist()
        rows = (
            (pk, signature.pk, output, value)
            for pk, row in zip(texts, values, strict=True)
            for output, value in zip(outputs, row, strict=True)
        )
        fill(Score, ("generation_id", *columns), rows)
    for metric in OF_SYSTEMS:
        parts = [(system, texts[s :: len(systems)]) for s, system in enumerate(systems)]
        signature, outputs = _run(study, user, metric, parts)
        SystemScore.objects.bulk_create(
            SystemScore(signature=signature, system=one, output=key, value=rng.normal())
            for one in systems
            for key in outputs
        )
    signature, outputs = _run(study, user, "length", _cut(negatives), on="negatives")
    rows = ((pk, signature.pk, key, 1.0) for pk in negatives for key in outputs)
    fill(NegativeScore, ("negative_id", *columns), rows)


def _cut(ids: list[int]) -> list[tuple[None, list[int]]]:

    size = texts_per_chunk(len(ids))
    return [(None, ids[i : i + size]) for i in range(0, len(ids), size)]


def _run(
    study: Study,
    user: Any,
    metric: str,
    parts: Sequence[tuple[Any, list[int]]],
    on: str = "texts",
) -> tuple[Any, list[str]]:

    made = metrics.get(metric)()
    text = f"{metric}|made for a benchmark|v:1"
    outputs = [dataclasses.asdict(output) for output in made.outputs]
    signature, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(text),
        defaults={"text": text, "metric": metric, "outputs": outputs},
    )
    times = dict.fromkeys(("started_at", "finished_at"), study.created_at)
    run = MetricRun.objects.create(
        study=study,
        metric=metric,
        on=on,
        options=dataclasses.asdict(made.options),
        signature=signature,
        state=MetricRun.State.DONE,
        created_by=user,
        **times,
    )
    Chunk.objects.bulk_create(
        Chunk(
            run=run,
            index=index,
            generations=ids,
            system=system,
            state=Chunk.State.DONE,
            attempt=1,
            done_items=len(ids),
            total_items=len(ids),
            scored=len(ids),
            seconds=0.001 * len(ids),
            finished_at=study.created_at,
        )
        for index, (system, ids) in enumerate(parts)
    )
    return signature, [output["key"] for output in outputs]
