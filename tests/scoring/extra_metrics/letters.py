"""Counts a letter. For the tests of runs: what happens while it scores is theirs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from scoring.metrics import Example, Metric, MetricError, Output, Scores
from scoring.metrics._engine.base import option

loads: list[str] = []  # devices, one for each load
while_scoring: Callable[[], None] | None = None


@dataclasses.dataclass(frozen=True)
class Options:
    letter: str = option("e", "Which letter to count.")
    model: str = option("", "Changes nothing but the signature.", path="model")


class Letters(Metric):
    title = "Letters"
    source = "the tests"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("letters", "Letters", "letters, [0, inf)", None),)

    def load(self, device: str = "cpu") -> Scorer:
        loads.append(device)
        model = Path(self.options.model) if self.options.model else None
        if model and not model.exists():
            raise MetricError(f"no model in {model}")
        contents = model.read_text() if model else "none"
        return Scorer(self.options.letter, self.signature(model=contents))


class Scorer:
    def __init__(self, letter: str, signature: str) -> None:
        self.letter, self.signature = letter, signature

    def __call__(self, examples: Sequence[Example], progress=None) -> Scores:
        counts = []
        for example in examples:
            n = example.text.count(self.letter)
            counts.append(float(n) if n else np.nan)
            if progress:
                progress(1)
        if while_scoring:
            while_scoring()
        reasons = ["no such letter" if np.isnan(n) else None for n in counts]
        parts = {"lengths": np.array([[len(e.text)] for e in examples])}
        return Scores({"letters": np.array(counts)}, {"letters": reasons}, parts)
