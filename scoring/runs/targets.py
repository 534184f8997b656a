"""What a run scores: the texts of a study, or the negatives that raters saw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from annotation.models import Generation, Negative, System
from scoring import corpora
from scoring.metrics import Example, SystemTexts
from scoring.models import Corpus, MetricRun, NegativeScore, Score, Signature
from scoring.scores.examples import example_of, example_of_negative


class Target(NamedTuple):
    """One kind of text, where its scores go, and what a metric sees of it."""

    scores: type[Score] | type[NegativeScore]
    field: str  # of the scores, which names the text
    read: Callable[[Sequence[int]], list[Any]]  # rows by id, in their order
    example: Callable[[Any], Example]
    has_parts: bool  # whether what a score is made of is kept

    def missing(
        self, ids: list[int], signature: Signature, outputs: list[str]
    ) -> list[int]:
        """Those of these texts that lack a score of some output. One query."""
        chosen = {"signature": signature, f"{self.field}__in": ids}
        scored = self.scores._default_manager.filter(**chosen)
        have = set(scored.values_list(f"{self.field}_id", "output"))
        return [pk for pk in ids if not all((pk, key) in have for key in outputs)]


def of(run: MetricRun) -> Target:
    return NEGATIVES if run.on == MetricRun.On.NEGATIVES else TEXTS


def system_texts(
    system: System, rows: Sequence[Generation], corpus: Corpus | None
) -> SystemTexts:
    """What a metric of systems sees. Reads the corpus, and what is of each prompt."""
    known = [row.log_probability for row in rows]
    return SystemTexts(
        texts=tuple(row.full_text for row in rows),
        corpus=tuple(corpora.texts(corpus)) if corpus else (),
        log_probabilities=tuple(math.nan if p is None else p for p in known),
        cut=_cut(system),
    )


def _cut(system: System) -> str:
    """How its sampling gives some texts no probability at all."""
    said = [f"top-p {system.top_p:g}"] if system.top_p and system.top_p < 1 else []
    return ", ".join([*said, *([f"top-k {system.top_k}"] if system.top_k else [])])


def _generations(ids: Sequence[int]) -> list[Generation]:
    rows = Generation.objects.filter(pk__in=ids).select_related("prompt__label")
    return list(rows.prefetch_related("prompt__references").order_by("pk"))


def _negatives(ids: Sequence[int]) -> list[Negative]:
    rows = Negative.objects.filter(pk__in=ids).select_related("survey__prompt__label")
    return list(rows.prefetch_related("survey__prompt__references").order_by("pk"))


TEXTS = Target(Score, "generation", _generations, example_of, True)
NEGATIVES = Target(NegativeScore, "negative", _negatives, example_of_negative, False)
