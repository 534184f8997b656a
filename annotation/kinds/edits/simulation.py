"""How simulated workers correct texts."""

from __future__ import annotations

import numpy as np

from annotation.kinds._simulation import TextSimulation, true_quality
from annotation.kinds.edits import simulated_corrections
from annotation.kinds.edits.edit_drafts import CORRECTED
from annotation.page_kinds import Answers, Rater, SimulatedPage


class EditSimulation(TextSimulation):
    seconds_per_answer = 30

    def answers(
        self, page: SimulatedPage, rater: Rater, rng: np.random.Generator
    ) -> Answers:
        texts = simulated_corrections.corrections(
            kind=rater.kind,
            seat=page.seat,
            items={item.pk: item for item in page.items},
            quality={item.pk: true_quality(page, item) for item in page.items},
            rng=rng,
        )
        return {(position, CORRECTED): text for position, text in texts.items()}
