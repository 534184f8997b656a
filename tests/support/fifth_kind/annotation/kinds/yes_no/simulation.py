from __future__ import annotations

import numpy as np
from annotation.kinds.yes_no.content import DOUBT

from annotation.kinds._simulation import TextSimulation
from annotation.page_kinds import Answers, Rater, SimulatedPage


class YesNoSimulation(TextSimulation):
    """Yes to what they would rate above the middle; in doubt about the first text."""

    def answers(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> Answers:
        return {**super().answers(page, rater, rng), (1, DOUBT): 1}

    def values(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> np.ndarray:
        low, high = np.array([aspect.ends for aspect in page.aspects]).T
        return np.where(super().values(page, rater, rng) > (low + high) / 2, high, low)
