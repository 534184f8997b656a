"""How simulated workers rate texts: by their true quality, as far as they read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Length

from annotation import page_kinds
from annotation.careless.common_scale import CommonScale
from annotation.models import Aspect, Item
from annotation.page_kinds import Answers, Rater, SimulatedPage
from annotation.quality.rater_kinds import BLIND, KINDS


class TextSimulation:
    """Each text gets a point of each aspect's scale."""

    seconds_per_answer = 4
    template = ""

    def items(self, items: QuerySet[Item]) -> QuerySet[Item]:
        return items.select_related("negative__source")

    def lengths(self, items: QuerySet[Item]) -> dict[int, int]:
        text = Coalesce("generation__text", "negative__text", "decoy__text")
        return dict(items.annotate(length=Length(text)).values_list("pk", "length"))

    def answers(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> Answers:
        values = self.values(page, rater, rng)
        column = {aspect.key: number for number, aspect in enumerate(page.aspects)}
        asked = page_kinds.get(page.seat.survey.kind).answering.asked(page.seat)
        return {
            (position, key): int(values[position - 1, column[key]])
            for position, key in asked
        }

    def values(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> np.ndarray:
        """Points of each aspect's scale, shape (items, aspects)."""
        scale = CommonScale.of(page.aspects)
        shape = (len(page.items), len(page.aspects))
        if rater.kind in KINDS:
            return scale.on_scale(felt(page, rater, rng))
        if rng.random() < BLIND[rater.kind]:
            return np.broadcast_to(scale.same_by_chance(rng), shape)
        return scale.by_chance(rng, shape)


def felt(page: SimulatedPage, rater: Rater, rng: np.random.Generator) -> np.ndarray:
    """What a reader makes of each text, shape (texts, aspects), about 1 to 5."""
    kind = KINDS[rater.kind]
    true = np.array([true_quality(page, item) for item in page.items])
    mean = true.mean(axis=0)
    seen = mean + kind.contrast * (true - mean)
    seen += np.array([damage(item, page.aspects, kind.drop) for item in page.items])
    noise = rng.normal(0, kind.noise, size=seen.shape)
    return np.asarray(seen + rater.bias + noise)


def true_quality(page: SimulatedPage, item: Item) -> Sequence[float]:
    """Of the undamaged text."""
    text = item.generation_id or item.decoy_id
    if item.negative is not None:
        text = item.negative.source_id
    assert text is not None  # a pair has two
    return page.truth[text]


def damage(item: Item, aspects: Sequence[Aspect], drop: float) -> np.ndarray:
    """What being damaged adds to each aspect."""
    hurts = item.negative.hurts if item.negative else ()
    hurt = np.array([aspect.key in hurts for aspect in aspects])
    up = np.array([aspect.higher_is_better for aspect in aspects])
    return np.where(hurt, np.where(up, -drop, drop), 0.0)
