"""What rooms ask of each kind of page for researchers who look answers over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from django.db.models.expressions import Combinable

from annotation.models import Aspect, Generation, Item, Seat, Study


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


class AboutText(NamedTuple):
    """What people said of one text on pages on which it does not stand by itself."""

    title: str
    fact: str  # how often it stands on such pages
    template: str  # shows `about`, of `text`, `study` and `aspects`
    about: object


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

    def about(
        self, study: Study, text: Generation, aspects: Sequence[Aspect]
    ) -> AboutText | None:
        """None: each text stands by itself, and has its ratings. Two queries at most,
        however many answers there are."""

    @property
    def counts(self) -> Mapping[str, Combinable]:
        """What is counted of each text in a list, for `fact`."""

    def fact(self, text: Generation) -> str:
        """Of a text with these counts; empty: nothing more than its survey."""
