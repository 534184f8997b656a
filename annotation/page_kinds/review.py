"""What rooms ask of each kind of page for researchers who look answers over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from annotation.models import Aspect, Item, Seat, Study


class Answers(Protocol):
    """What one worker said on one page, beside everybody else."""

    @property
    def template(self) -> str:
        """Shows `answers`, of `seat` and `study`."""

    @property
    def n(self) -> int:
        """How many they gave."""

    @property
    def n_asked(self) -> int: ...

    @property
    def characters(self) -> int:
        """To read on the page."""


class Review(Protocol):
    def answers(self, study: Study, seat: Seat, aspects: Sequence[Aspect]) -> Answers:
        """Of a seat with its worker, place, survey, prompt and label. As many queries
        for a page of twelve texts as for one of two."""

    @property
    def related(self) -> Sequence[str]:
        """What of an item is read with it, beside its text and damaged text."""

    @property
    def reported(self) -> str:
        """A template that shows an item which was reported."""

    def shown(self, item: Item) -> object:
        """What that template shows, beside the item."""

    def name(self, item: Item) -> str:
        """Of an item that has neither a text to exclude nor a damaged one."""
