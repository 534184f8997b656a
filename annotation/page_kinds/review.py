"""What rooms ask of each kind of page for researchers who look answers over."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from annotation.models import Seat, Study


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


class Reported(NamedTuple):
    """How a text that was reported is shown."""

    template: str
    context: dict[str, object]


class Review(Protocol):
    def answers(self, study: Study, seat: Seat) -> Answers:
        """Of a seat with its worker, place, survey, prompt and label. As many queries
        for a page of twelve texts as for one of two."""
