"""What simulated workers ask of each kind of page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from django.db.models import QuerySet

from annotation.models import Aspect, Item, Seat, Study
from annotation.page_kinds.answers import Answers

# Quality of each text (by primary key) on each aspect in order, from 1 to 5.
Truth = Mapping[int, Sequence[float]]


class Rater(NamedTuple):
    """A simulated worker, as far as answers depend on them."""

    kind: str  # of `quality.rater_kinds.NAMES`
    bias: float  # how strict they are, in points of a scale from 1 to 5


@dataclass(frozen=True, slots=True)
class SimulatedPage:
    """A page that is to be answered."""

    study: Study
    seat: Seat
    items: Sequence[Item]  # in the order of the page, as `Simulation.items` reads them
    aspects: Sequence[Aspect]
    truth: Truth


class Simulation(Protocol):
    """How simulated workers answer pages of one kind."""

    @property
    def seconds_per_answer(self) -> int:
        """Of someone who reads; whoever does not takes one."""

    @property
    def template(self) -> str:
        """What the simulation assumes of such pages, in words; empty: nothing more."""

    def items(self, items: QuerySet[Item]) -> QuerySet[Item]:
        """With all that answers depend on."""

    def lengths(self, items: QuerySet[Item]) -> dict[int, int]:
        """Characters to read, by item."""

    def answers(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> Answers:
        """All of them, in the order of the page."""
