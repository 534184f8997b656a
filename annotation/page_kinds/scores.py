"""What people's answers on pages of a kind are worth: scores, and their agreement."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, Protocol

import numpy as np

from annotation.models import Aspect, Study


class Counts(NamedTuple):
    """How often each text or pair got each answer on one aspect."""

    counts: np.ndarray  # (units, answers) int64
    values: np.ndarray  # (answers,) float64, ascending


class Scores(Protocol):
    @property
    def label(self) -> str:
        """Behind a question, where a study has ratings of texts as well; of those
        empty."""

    @property
    def units(self) -> str:
        """What answers are about, in the plural."""

    @property
    def answers(self) -> str:
        """What they are called, in the plural."""

    def level(self, aspect: Aspect) -> str:
        """What differences between answers mean: one of `Aspect.Level`."""

    def counts(
        self, *, study: Study, aspect: Aspect, with_discarded: bool = False
    ) -> Counts: ...

    def filled(self, study: Study) -> Counter[int]:
        """How many texts or pairs have so many valid answers, from none on."""
