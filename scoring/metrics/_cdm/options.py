"""Options of the training of Generative CDM."""

from __future__ import annotations

import dataclasses

from scoring.metrics._engine import models
from scoring.metrics._engine.base import OptionError, option
from scoring.metrics._learning.sources import SOURCE, reads_option
from scoring.metrics._learning.training import Training

LEAST_ROOM = 16  # tokens that remain of a text besides what is put into it


@dataclasses.dataclass(frozen=True)
class GenerativeCDMTraining(Training):
    """Which model rewrites segments, which segments, and how."""

    texts: int = option(
        5_000,
        "most texts to learn from; if there are more, the seed draws a sample",
        label="Most texts to learn from",
    )
    reads: str = reads_option()
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
        "the better one, of the same family and with the same tokenizer",
        path="model",
        label="Better model (expert)",
        takes=("infill",),
    )
    infill_epochs: float = option(
        0.0,
        "how many times both models first go through these texts to learn to fill their"
        " gaps; 0: not at all",
        label="Epochs for filling gaps",
    )
    infill_rate: float = option(
        0.0,
        "peak learning rate for filling gaps; 0: 2e-5 for wide models, 5e-4 for small"
        " ones",
        label="Learning rate for filling gaps",
    )
    gamma: float = option(
        0.5,
        "how far p_n moves from the amateur, away from the expert; 0: not at all",
        label="Distance from the expert (gamma)",
    )
    segment: str = option(
        "random",
        "which segment is removed: a random one, or (strategic) the one with the most"
        " information, which is the least probable one under the amateur",
        ("random", "strategic"),
        label="Segment to replace",
        titles=("any", "the most informative one (strategic)"),
    )
    unit: str = option(
        "sentence",
        "whether a segment is a sentence or a number of words",
        ("sentence", "words"),
        label="Unit of segments",
        titles=("sentences", "words"),
    )
    words: int = option(
        5, "for segments of words: how many words", label="Words per segment"
    )
    temperature: float = option(1.0, "log p_n is divided by this", label="Temperature")
    top_p: float = option(
        0.9,
        "p_n is limited to the likeliest tokens that together have this share of the"
        " amateur's probability; 1: no limit, as in the paper, which also allows tokens"
        " that both models find absurd",
        label="Top-p",
    )
    max_new_tokens: int = option(
        48,
        "longer sentences are not removed, and longer fillings are left out",
        label="Longest segment, in tokens",
    )

    def check(self) -> None:
        """Raise OptionError for values that are not allowed."""
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
        least = self.max_new_tokens + LEAST_ROOM
        if self.text_tokens < least:
            half = " half of" if self.reads == SOURCE else ""
            raise OptionError(
                f"max_tokens={self.max_tokens}: expected{half} at least max_new_tokens"
                f" + {LEAST_ROOM}, which is {least}"
            )

    @property
    def text_tokens(self) -> int:
        """Tokens that a text may have: its source takes up to half of all."""
        return self.max_tokens // 2 if self.reads == SOURCE else self.max_tokens
