"""Options of the training of Generative CDM."""

from __future__ import annotations

import dataclasses

from scoring.metrics._engine import models
from scoring.metrics._engine.base import OptionError, option
from scoring.metrics._learning.training import Training

LEAST_ROOM = 16  # tokens that remain of a text besides what is put into it


@dataclasses.dataclass(frozen=True)
class GenerativeCDMTraining(Training):
    """Who writes segments anew, which, and how."""

    texts: int = option(
        5_000,
        "texts learned from at most, drawn by the seed",
        label="Most texts to learn from",
    )
    amateur: str = option(
        "bundled:infill-nano",
        "the worse of two models that fill gaps",
        typed=models.INFILL_HELP,
        path="model",
        label="Worse model (amateur)",
        takes=("infill",),
    )
    expert: str = option(
        "bundled:infill-small",
        "a better model of the same family, with the same tokenizer",
        path="model",
        label="Better model (expert)",
        takes=("infill",),
    )
    infill_epochs: float = option(
        0.0,
        "how often both learn to fill gaps of these texts before; 0: not at all",
        label="Epochs of learning to fill gaps",
    )
    infill_rate: float = option(
        0.0,
        "peak learning rate of that; 0: 2e-5 for wide models, 5e-4 for small ones",
        label="Learning rate of that",
    )
    gamma: float = option(
        0.5,
        "how far p_n is from the amateur, away from the expert; 0: not at all",
        label="Distance from the expert (gamma)",
    )
    segment: str = option(
        "random",
        "which segment is removed: any, or (strategic) the one that tells most, by its"
        " probability under the amateur",
        ("random", "strategic"),
        label="Segment to replace",
        titles=("any", "the one that tells most (strategic)"),
    )
    unit: str = option(
        "sentence",
        "what a segment is: a sentence, or words",
        ("sentence", "words"),
        label="Unit of segments",
        titles=("sentences", "words"),
    )
    words: int = option(5, "unit=words: how many", label="Words per segment")
    temperature: float = option(1.0, "log p_n is divided by it", label="Temperature")
    top_p: float = option(
        0.9,
        "p_n is kept to the tokens that have this share of the amateur's probability;"
        " 1: not at all, as in the paper, and what both find absurd is written, too",
        label="Top-p",
    )
    max_new_tokens: int = option(
        48,
        "longer sentences are not removed; what is written longer is left out",
        label="Longest segment, in tokens",
    )

    def check(self) -> None:
        """Raise OptionError where options will not do."""
        super().check()
        for name, low, high in (
            ("infill_epochs", 0, 100),
            ("infill_rate", 0, 1),
            ("gamma", 0, 10),
            ("words", 1, 50),
            ("temperature", 0.05, 10),
            ("top_p", 0.01, 1),
            ("max_new_tokens", 4, 512),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise OptionError(f"{name}={value:g}: expected {low:g} to {high:g}")
        if self.max_tokens < self.max_new_tokens + LEAST_ROOM:
            raise OptionError(
                f"max_tokens={self.max_tokens}: expected at least max_new_tokens +"
                f" {LEAST_ROOM}, which is {self.max_new_tokens + LEAST_ROOM}"
            )
