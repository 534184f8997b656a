"""Only waits for each text, so that many workers fit on few processors.

What it does is written in the file that WAITS_LOG names: a line for each model that was
loaded, and one for each call.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Sequence

import numpy as np

from scoring.metrics import Example, Metric, Output, Scores, option


@dataclasses.dataclass(frozen=True)
class Options:
    """How long everything takes."""

    model: str = option("bundled:causal-nano", "named only", path="model")
    seconds: float = 0.02
    loading: float = 0.0


class Waits(Metric):
    """Nothing but the time that it takes."""

    title = "Waits"
    source = "benchmarks/many_workers.py"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("length", "Length", "characters, [0, inf)", None),)

    def load(self, device: str = "cpu") -> Waiting:
        time.sleep(self.options.loading)
        note("load", time.time(), time.time())
        return Waiting(self.options.seconds, self.signature())


class Waiting:
    def __init__(self, seconds: float, signature: str) -> None:
        self.seconds, self.signature = seconds, signature

    def __call__(self, examples: Sequence[Example], progress=None) -> Scores:
        start = time.time()
        for _ in examples:
            time.sleep(self.seconds)
            if progress:
                progress(1)
        note("call", start, time.time())
        values = np.array([float(len(example.text)) for example in examples])
        return Scores({"length": values}, {"length": [None] * len(examples)})


def note(what: str, start: float, end: float) -> None:
    with open(os.environ["WAITS_LOG"], "a", encoding="utf-8") as file:
        file.write(json.dumps([what, os.getpid(), start, end]) + "\n")
