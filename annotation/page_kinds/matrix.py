"""What quality control compares: the answers of a submitted page as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from annotation.careless.common_scale import CommonScale
from annotation.careless.odds import Scales, Seen
from annotation.models import Aspect, Item, Policy, Seat, Study
from annotation.models.surveys import seconds_in_view

# By item and column of the aspect; None: the worker cannot say.
Answers = Mapping[tuple[int, int], int | None]
# A reason, if the check failed, and what it saw. None: it was not made.
Result = tuple[str, Mapping[str, object]] | None


class Compared(NamedTuple):
    """The ratings of a page that its policy looks at, turned so that high is good."""

    aspects: list[Aspect]
    columns: list[int]  # of these among all aspects
    positions: list[int]  # of the real texts on the page
    real: np.ndarray  # (texts, aspects), in the common unit
    negative: np.ndarray  # (aspects,)


@dataclass(frozen=True)
class Terms:
    """A policy with the questions of its study: what answers are judged by."""

    policy: Policy
    aspects: list[Aspect]
    scale: CommonScale

    @cached_property
    def scales(self) -> Scales:
        return Scales(self.scale.width, tuple(self.scale.steps))

    def columns(self, hurts: Sequence[str]) -> list[int]:
        """Of the aspects that the policy compares."""
        chosen = aspects_of(self.policy, hurts, self.aspects)
        return [self.aspects.index(aspect) for aspect in chosen]


def aspects_of(
    policy: Policy, hurts: Sequence[str], aspects: list[Aspect]
) -> list[Aspect]:
    """The aspects that the policy compares; all if none of those it names exists."""
    keys = {
        Policy.On.HURT: hurts,
        Policy.On.CHOSEN: policy.chosen,
        Policy.On.MEAN: [],
        Policy.On.ANY: [],
    }[Policy.On(policy.on)]
    return [aspect for aspect in aspects if aspect.key in keys] or aspects


@dataclass(frozen=True, slots=True)
class PageMatrix(ABC):
    """One page of a worker. What only pages of one kind have, its own class adds."""

    # Whether its questions are answered, so that what tests answers looks at it.
    is_rated: ClassVar[bool] = True
    # What stands under "rule" in the numbers of a verdict; empty: that of the policy.
    rule: ClassVar[str] = ""
    # What answers are called where they are no numbers.
    words: ClassVar[Mapping[int, str]] = {}

    seat_id: int
    survey_id: int
    worker_id: int
    state: str
    items: list[int]  # ids, in the order shown
    # (items, aspects) float64, as stored; aspects in their order. NaN: cannot say.
    ratings: np.ndarray
    hidden: int | None  # row of the negative
    hurts: list[str]  # keys of the aspects that it should lower
    characters: int | None  # to read on the page; None where texts were not asked for
    seconds: float  # in view, or from claim to submission where nobody measured

    @property
    def as_given(self) -> np.ndarray:
        """The answers as the worker pressed them, (items, aspects)."""
        return self.ratings

    @abstractmethod
    def compared(self, terms: Terms) -> Compared | None:
        """None where there is nothing to compare with a damaged text."""

    @abstractmethod
    def why_above(self, above: Compared, terms: Terms) -> str:
        """The reason of a verdict, where the damaged text was rated too high."""

    @abstractmethod
    def is_same(self, scale: CommonScale) -> bool | None:
        """Whether it has the same answer everywhere; None: it has no such answers."""

    @abstractmethod
    def seen(self, terms: Terms) -> Seen:
        """What the page adds to the odds of answers by chance."""

    def own_checks(self, policy: Policy) -> dict[str, Result]:
        """Those that only pages of this kind have, by name."""
        return {}

    def above_twin(self, scale: CommonScale) -> np.ndarray | None:
        """By how much the damaged text is better than its undamaged twin, (aspects,).

        None where the page does not show both: then others have rated the twin.
        """
        return None


class Submitted(NamedTuple):
    """Complete pages of one kind, with all that is read for any kind at once."""

    study: Study
    seats: Sequence[Seat]
    items: Mapping[int, dict[int, Item]]  # by survey and id, in the order of ids
    answers: Mapping[int, Answers]  # by seat
    about: Sequence[str]  # what each aspect asks about
    # By survey; None where texts were not asked for.
    prefixes: Mapping[int, str] | None
    # Valid answers by survey and worker; None where they were not asked for.
    others: Mapping[int, Mapping[int, Answers]] | None
    now: datetime  # when a page was submitted that does not say so yet

    def shown(self, seat: Seat) -> list[int]:
        """Ids of the items on its page, in the order shown."""
        on_page = self.items[seat.survey_id]
        return [item for item in seat.order if item in on_page]

    def lengths(
        self, of_survey: Callable[[Sequence[Item]], Mapping[int, int]]
    ) -> dict[int, int]:
        """Characters to read by item, where a kind has its own; texts not asked for:
        none."""
        surveys = {seat.survey_id for seat in self.seats}
        surveys = surveys if self.prefixes is not None else set()
        found: dict[int, int] = {}
        for survey in surveys:
            found |= of_survey(list(self.items[survey].values()))
        return found

    def sitting(self, seat: Seat) -> dict[str, Any]:
        """What a matrix of any kind says of the page, its answers aside."""
        shown, on_page = self.shown(seat), self.items[seat.survey_id]
        hidden = next((item for item in on_page.values() if item.negative_id), None)
        is_shown = hidden is not None and hidden.pk in shown
        return {
            "seat_id": seat.pk,
            "survey_id": seat.survey_id,
            "worker_id": seat.worker_id,
            "state": seat.state,
            "items": shown,
            "hidden": shown.index(hidden.pk) if hidden and is_shown else None,
            "hurts": list(hidden.negative.hurts) if hidden and hidden.negative else [],
            "seconds": _seconds(seat, seat.submitted_at or self.now),
        }


class Matrices(Protocol):
    """How the pages of one kind are read."""

    def related(self, *, texts: bool) -> Sequence[str]:
        """What of an item is read with it, beside its text and damaged text."""

    def read(self, pages: Submitted) -> Iterable[PageMatrix]:
        """A page that lacks an answer, as when a worker has withdrawn theirs, is left
        out."""


def _seconds(seat: Seat, submitted: datetime) -> float:
    """Without a measure, the whole sitting: too long rather than too short."""
    if measured := seconds_in_view(seat.visible, seat.claimed_at, submitted):
        return measured
    return max(0.0, (submitted - seat.claimed_at).total_seconds())
