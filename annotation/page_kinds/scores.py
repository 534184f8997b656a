"""What people's answers on pages of a kind are worth: scores, and their agreement."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from annotation import human_scores
from annotation.models import Aspect, Study


class Counts(NamedTuple):
    """How often each text or pair got each answer on one aspect."""

    counts: np.ndarray  # (units, answers) int64
    values: np.ndarray  # (answers,) float64, ascending


class Scores(Protocol):
    @property
    def units(self) -> str:
        """What answers are about, where a study has answers on texts as well; else
        empty."""

    def level(self, aspect: Aspect) -> str:
        """What differences between answers mean: one of `Aspect.Level`."""

    def counts(
        self, *, study: Study, aspect: Aspect, with_discarded: bool = False
    ) -> Counts: ...


class TextScores:
    """Ratings of texts, whatever kinds of pages they come from, and from files."""

    units = ""

    def level(self, aspect: Aspect) -> str:
        return aspect.level

    def counts(
        self, *, study: Study, aspect: Aspect, with_discarded: bool = False
    ) -> Counts:
        ratings = human_scores.counts(
            study=study, aspect=aspect, with_discarded=with_discarded
        )
        return Counts(ratings.counts, ratings.values)


TEXT_SCORES = TextScores()
