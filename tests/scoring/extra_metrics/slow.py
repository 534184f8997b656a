"""Takes its time over each text."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

import numpy as np

from scoring.metrics import Example, Metric, Output, Scores


@dataclasses.dataclass(frozen=True)
class Options:
    seconds: float = 0.02


class Slow(Metric):
    title = "Slow"
    source = "the tests"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("length", "Length", "characters, [0, inf)", None),)

    def load(self, device: str = "cpu") -> Scorer:
        return Scorer(self.options.seconds, self.signature())


class Scorer:
    def __init__(self, seconds: float, signature: str) -> None:
        self.seconds, self.signature = seconds, signature

    def __call__(self, examples: Sequence[Example], progress=None) -> Scores:
        for _ in examples:
            time.sleep(self.seconds)
            if progress:
                progress(1)
        values = np.array([float(len(example.text)) for example in examples])
        return Scores({"length": values}, {"length": [None] * len(examples)})
