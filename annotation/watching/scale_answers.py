"""An answer on a scale beside those of everybody else."""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import Aspect
from annotation.watching.figures import Figure

FAR = 0.5  # of the scale's range: an answer this far from the others stands out


class Answer(NamedTuple):
    """What this worker gave a text on one aspect, beside the others."""

    aspect: Aspect
    own: int | None  # None: not answered, or they cannot say
    others: Figure  # mean of the other valid ratings
    n: int  # of them
    low: int  # the ends of its scale
    high: int
    cannot_say: bool = False  # was the answer
    is_asked: bool = True  # False: the question is about turns, or whole dialogues

    @property
    def missing(self) -> str:
        """Why there is no number."""
        return "not answered" if self.is_asked else "not asked"

    @property
    def difference(self) -> float | None:
        """Points by which this worker stands above the others."""
        if self.own is None or self.others.value is None:
            return None
        return self.own - self.others.value

    @property
    def is_far(self) -> bool:
        difference = self.difference
        if difference is None:
            return False
        return abs(difference) >= FAR * (self.high - self.low)
