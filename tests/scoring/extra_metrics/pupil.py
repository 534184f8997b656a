"""Learns to tell labels apart. For the tests of trainings, beside real metrics."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.metrics import Example, MetricError, OptionError, Output, Scores
from scoring.metrics._engine import models
from scoring.metrics._engine.base import option
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import MODEL_HELP, Training, TrainingData


@dataclasses.dataclass(frozen=True)
class Options:
    model: str = option("", MODEL_HELP, path="model")


@dataclasses.dataclass(frozen=True)
class TrainingOptions(Training):
    base: str = option("", "an encoder", path="model")
    attribute: str = option("", "column of the corpus that is learned")
    pause: float = option(0.0, "seconds that each text takes")
    fails: str = option("", "what goes wrong in the end", ("", "user", "bug"))


class Pupil(TrainedMetric):
    title = "Pupil"
    source = "the tests"
    Options = Options
    TrainingOptions = TrainingOptions
    needs = frozenset({"training"})
    learns = frozenset({"texts", "labels", "ratings"})

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        from scoring.metrics._learning.tasks import HeadTask, Labelled

        class Task(HeadTask):
            def of(self, document: int, number: int) -> list[Labelled]:
                time.sleep(options.pause)
                label = data.labels[document] if data.labels else self.classes[0]
                text = data.texts[document]
                return [Labelled(text, float(self.classes.index(label)))]

            def figures(self, network: Any, examples: Any) -> dict[str, Any]:
                if options.fails == "user":
                    raise MetricError("the pupil will not learn: choose another")
                if options.fails == "bug":
                    raise ZeroDivisionError("the pupil fell ill")
                return super().figures(network, examples)

        return Task(data, options, sorted(set(data.labels)) or ["one", "two"])

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output("first", "First label", "logit", True),)

    def check(self) -> None:
        if not self.options.model:
            raise OptionError("model: train one under Metrics, Training")

    def load(self, device: str = "cpu") -> Scorer:
        from scoring.metrics._learning.heads import Judge

        folder = models.find(self.options.model)
        signature = self.signature(model=models.content_hash(folder))
        return Scorer(Judge(folder, device=device), signature)


class Scorer:
    def __init__(self, judge: Any, signature: str) -> None:
        self.judge, self.signature = judge, signature

    def __call__(self, examples: Sequence[Example], progress: Any = None) -> Scores:
        z = self.judge([example.text for example in examples], progress)
        return Scores({"first": np.asarray(z[:, 0])}, {"first": [None] * len(z)})
