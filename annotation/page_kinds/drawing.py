"""What the drawing of pages asks of each kind of page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from django.db.models import QuerySet

from annotation.models import Generation, Item, Negative, Prompt, Study, Survey
from annotation.negatives import Pool

# What is judged on a page, the damaged text aside: texts, or pairs of texts.
Units = Sequence[Any]


class NewPages(NamedTuple):
    """What pages are to be cut out of."""

    texts: Sequence[Generation]  # of the study, in order, with prompt and system
    fresh: Collection[int]  # ids of those that need a page


class Drawing(Protocol):
    """How the pages of one kind are drawn."""

    def why_not(self, study: Study) -> str:
        """Why the study's texts make no such page; empty where they do."""

    def cut(
        self, study: Study, new: NewPages, rng: np.random.Generator
    ) -> Iterator[Units]:
        """Pages in turn, so that every fresh text is on one."""

    def damage(self, units: Units, pool: Pool, seed: int) -> Negative:
        """A negative for the page, not saved. Raises NoNegative."""

    def can_damage(self, units: Units, pool: Pool, seed: int) -> bool:
        """Whether `damage` would make one."""

    def advice(self, units: Units) -> str:
        """What would help where none can be made."""

    def prompt(self, units: Units, negative: Negative | None) -> Prompt:
        """That of the survey."""

    def items(
        self, survey: Survey, units: Units, negative: Negative | None
    ) -> list[Item]:
        """Not saved; the negative last."""

    def save_related(self, items: Sequence[Item]) -> None:
        """What these items refer to and `items` has made, before they are saved."""

    def is_outdated(self, study: Study, surveys: QuerySet[Survey]) -> bool:
        """Whether one of these pages, of this kind, has more than it may now."""

    def undrawn(self, study: Study) -> QuerySet[Generation]:
        """Texts that need a page of this kind and have none."""
