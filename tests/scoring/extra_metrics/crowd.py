"""Scores all texts of a system at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.metrics import Output, SystemMetric


class Crowd(SystemMetric):
    title = "Crowd"
    source = "the tests"

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (
            Output("texts", "Texts", "texts, [0, inf)", None),
            Output("dice", "Dice", "[0, 1)", None),
            Output("nothing", "Nothing", "none", None),
        )

    def score(
        self, texts: Sequence[str], corpus: Sequence[str], rng: np.random.Generator
    ) -> dict[str, float | None]:
        return {"texts": len(texts), "dice": rng.random(), "nothing": None}
