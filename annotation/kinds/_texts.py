"""Pages of texts that share a prompt, and a damaged one among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation import negatives
from annotation.models import Generation, Item, Negative, Prompt, Study, Survey
from annotation.models.texts import GenerationQuerySet
from annotation.negatives import Pool
from annotation.page_kinds import NewPages, Units
from annotation.surveys import pages


@dataclass(frozen=True)
class TextDrawing:
    """Each text is on one page, beside those of other systems for its prompt."""

    kind: str

    def why_not(self, study: Study) -> str:
        texts = not_excluded(study)
        if texts.exists() and not outside_dialogues(study).exists():
            return (
                "There are only dialogues, which have pages of their own. Choose these,"
                " or import texts."
            )
        return ""

    def cut(
        self, study: Study, new: NewPages, rng: np.random.Generator
    ) -> Iterator[Units]:
        fresh = [
            text
            for text in new.texts
            if text.pk in new.fresh and text.dialogue_id is None
        ]
        size = study.texts_per_survey
        if not study.rates_part:
            return pages.cut(generations=fresh, size=size, rng=rng)
        # As many as a page of all texts would have: one of each system.
        systems = {text.system_id for text in new.texts} - {None}
        size = min(size, len(systems) or size)
        return pages.cut_part(generations=fresh, size=size, rng=rng)

    def damage(self, units: Units, pool: Pool, seed: int) -> Negative:
        return negatives.choose(page=units, pool=pool, seed=seed)

    def can_damage(self, units: Units, pool: Pool, seed: int) -> bool:
        return negatives.is_possible(page=units, pool=pool, seed=seed)

    def advice(self, units: Units) -> str:
        return negatives.advice(units)

    def prompt(self, units: Units, negative: Negative | None) -> Prompt:
        prompt: Prompt = units[0].prompt
        return prompt

    def items(
        self, survey: Survey, units: Units, negative: Negative | None
    ) -> list[Item]:
        part = survey.part
        items = [Item(survey=survey, generation=text, part=part) for text in units]
        if negative is not None:
            items.append(Item(survey=survey, negative=negative, part=part))
        return items

    def save_related(self, items: Sequence[Item]) -> None:
        """Texts are there already."""

    def is_outdated(self, study: Study, surveys: QuerySet[Survey]) -> bool:
        return more_items_than(study, surveys)

    def undrawn(self, study: Study) -> QuerySet[Generation]:
        return without_item(study, self.kind)


def more_items_than(study: Study, surveys: QuerySet[Survey]) -> bool:
    """Whether a page has more to judge than the study now puts on one."""
    # The negative is one item more.
    sizes = surveys.annotate(n=Count("items"))
    return sizes.filter(n__gt=study.texts_per_survey + 1).exists()


def not_excluded(study: Study) -> GenerationQuerySet:
    return study.generations.filter(excluded_at=None)


def outside_dialogues(study: Study) -> GenerationQuerySet:
    """Texts that stand by themselves: turns are on pages of dialogues only."""
    return not_excluded(study).filter(dialogue=None)


def without_item(study: Study, kind: str) -> QuerySet[Generation]:
    """Texts that stand by themselves on no page of this kind."""
    shown = Item.objects.filter(generation=OuterRef("pk"), survey__kind=kind)
    return outside_dialogues(study).to_rate().filter(~Exists(shown))
