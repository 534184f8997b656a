"""Trivial baselines: how long each text is. They need no run, so every table has them.

Many a correlation with people is one with length: a metric should beat these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max

from annotation.models import Generation, Negative, Study
from annotation.models.texts import full_text
from scoring import metrics
from scoring.metrics import Output, length

METRIC = "length"
# Counting words is quick. Finding sentences takes most of a millisecond for each text:
# what nobody should wait for is left to a run of the metric.
SPLIT_AT_ONCE = 500
TOO_MANY = f"more than {SPLIT_AT_ONCE} texts: run the metric Length to count sentences"


class Baseline(NamedTuple):
    """One length of the texts asked for, in their order."""

    output: Output
    values: np.ndarray  # (n,) float64
    reason: str  # why all are NaN, if they are


def signature() -> str:
    """That of a run of the metric, which gives the same numbers."""
    return metrics.get(METRIC)().load("cpu").signature


def lengths(*, study: Study, generations: np.ndarray) -> list[Baseline]:
    """Words, characters and sentences. Reads the texts once, until some are added."""
    counted = _counted(study)
    at = np.searchsorted(counted["id"], generations)
    return [
        Baseline(
            output,
            counted[output.key][at],
            TOO_MANY if np.isnan(counted[output.key]).all() else "",
        )
        for output in metrics.get(METRIC)().outputs
    ]


def of_negatives(*, study: Study) -> dict[str, dict[int, float | None]]:
    """The same of damaged texts as raters saw them: by output key, by negative's id.

    Reads the texts each time: for a worker, not for a page.
    """
    found = Negative.objects.filter(survey__study=study).order_by("pk")
    rows = found.values_list("pk", "survey__prompt__prefix", "text")
    counts = {pk: length.lengths(full_text(prefix, text)) for pk, prefix, text in rows}
    return {
        key: {pk: one[key] for pk, one in counts.items()} for key in length.lengths("")
    }


def _counted(study: Study) -> dict[str, np.ndarray]:
    """By output key, and "id": of all texts of the study, by id."""
    texts = study.generations.aggregate(n=Count("pk"), last=Max("pk"))
    # Texts never change: a corrected one is a new one.
    key = f"lengths:{study.public_id}:{texts['n']}:{texts['last']}:{signature()}"
    key = key.replace("|", ":")
    found: dict[str, np.ndarray] | None = cache.get(key)
    if found is None:
        found = _count(study, split=texts["n"] <= SPLIT_AT_ONCE)
        cache.set(key, found, timeout=60 * 60 * 24)
    return found


def _count(study: Study, *, split: bool) -> dict[str, np.ndarray]:
    rows = Generation.objects.filter(study=study).order_by("pk")
    count = length.lengths if split else length.sizes
    texts = rows.values_list("pk", "prompt__prefix", "text")
    counts = [
        {"id": pk, "sentences": np.nan, **count(full_text(prefix, text))}
        for pk, prefix, text in texts
    ]
    names = ("id", *length.lengths(""))
    return {name: np.array([one[name] for one in counts], float) for name in names}
