"""What the items and the answers of a kind of page are to those who count them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from annotation.models import Aspect, Seat


class Sitting(Protocol):
    """What of a seat tells how an answer was given."""

    @property
    def flipped(self) -> Sequence[int]: ...


class Counting(Protocol):
    @property
    def answer(self) -> str:
        """What people give, in one word."""

    @property
    def unit(self) -> str:
        """What they give it to."""

    @property
    def answers(self) -> str:
        """The relation from a seat to its answers."""

    @property
    def beside(self) -> Sequence[str]:
        """Relations from a seat to what else its worker said there."""

    @property
    def texts(self) -> Sequence[str]:
        """Fields of an item that name its texts: an excluded one excludes the item."""

    @property
    def uncounted(self) -> Sequence[str]:
        """Fields of an item that are set where nobody counts answers on it."""

    @property
    def shares_prefix(self) -> bool:
        """Whether the texts of a page begin with the prefix of its prompt."""

    def n_wanted(self, seat: Seat, n_aspects: Mapping[str, int]) -> int:
        """Answers that a page asks for, with the number of aspects by what they are
        about. One query at most."""

    def as_given(self, value: int | None, item: int, page: Sitting) -> int | None:
        """A stored answer as the worker pressed it."""


class RatingCounting:
    """Of pages on which each text gets an answer to each question."""

    answer = "rating"
    unit = "text"
    answers = "annotations"
    beside: Sequence[str] = ()
    texts: Sequence[str] = ("generation",)
    uncounted: Sequence[str] = ()
    shares_prefix = True

    def n_wanted(self, seat: Seat, n_aspects: Mapping[str, int]) -> int:
        return len(seat.order) * n_aspects.get(Aspect.About.TEXT, 0)

    def as_given(self, value: int | None, item: int, page: Sitting) -> int | None:
        return value
