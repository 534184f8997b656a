"""How simulated workers compare: by the true quality of both texts of a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import QuerySet

from annotation.kinds._simulation import TextSimulation, damage
from annotation.kinds.pairs import simulated_choices
from annotation.models import Item, comparing
from annotation.page_kinds import Rater, SimulatedPage
from annotation.page_kinds.simulation import Truth
from annotation.quality.rater_kinds import BLIND, KINDS
from annotation.watching import item_lengths


class PairSimulation(TextSimulation):
    template = "annotation/kinds/pairs/simulated.html"
    alike = simulated_choices.ALIKE
    far_apart = simulated_choices.FAR_APART

    def items(self, items: QuerySet[Item]) -> QuerySet[Item]:
        return items.select_related("negative", "pair")

    def lengths(self, items: QuerySet[Item]) -> dict[int, int]:
        return item_lengths.of(items)

    def values(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> np.ndarray:
        """Answers on pairs as they are pressed, shape (pairs, aspects)."""
        points = comparing.points(page.study)
        if rater.kind not in KINDS:
            shape = (len(page.items), len(page.aspects))
            same = rng.random() < BLIND[rater.kind]
            return simulated_choices.blind(
                points=points, shape=shape, same=same, rng=rng
            )
        kind = KINDS[rater.kind]
        quality = np.array([_qualities(item, page.truth) for item in page.items])
        better = simulated_choices.felt(
            kind=kind, first=quality[:, 0], second=quality[:, 1], rng=rng
        )
        # The second text of a check is the damaged one.
        better -= np.array(
            [damage(item, page.aspects, kind.drop) for item in page.items]
        )
        up = np.array([aspect.higher_is_better for aspect in page.aspects])
        stored = simulated_choices.choice(np.where(up, better, -better), points)
        flipped = np.array([item.pk in page.seat.flipped for item in page.items])
        return np.where(flipped[:, np.newaxis], comparing.turned(stored), stored)


def _qualities(item: Item, truth: Truth) -> tuple[Sequence[float], Sequence[float]]:
    """Of the texts of a pair, both undamaged."""
    assert item.pair is not None
    first = item.pair.first_id
    return truth[first], truth[item.pair.second_id or first]
