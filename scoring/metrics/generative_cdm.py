"""Generative CDM: what tells a person's text from one that a poor model has touched.

Lu et al. (2024), section 3.4.1 and algorithm 1. An amateur p_a and an expert p_e of one
family learn to fill gaps, or are taken as they are. From each text by people a segment
is removed and written anew by the degraded distribution

    log p_n = log p_a - gamma m = (1 + gamma) log p_a - gamma log p_e - log Z

with m = log p_e - log p_a (eq. 4), token by token given what is around the gap
(`_cdm_negatives`). An encoder with a head learns to tell the two apart, one to one:

    score = exp(z_human) / (exp(z_human) + exp(z_machine)),

the probability that all of a text is a person's, in [0, 1], higher is better.

Open in the paper, and options here: gamma; which segment is removed and how long it is;
temperature and truncation of p_n; which models. Segments that come out as they were and
those that find no end are left out. Both sides are written by the models' tokenizer
where the segment stands, and end at sentences that make them about as long, so that
words tell them apart and not length. Pairs for which there are no such sentences are
left out, too. Neither side is longer than the encoder reads, as far as the two
tokenizers agree.

The metric assumes that the expert is the better model (eq. 2). Where its loss on
held-out segments is not the lower one, the card and a note say so.

How well a checkpoint tells its own kind of segments apart says little about text of
other models. Texts beyond its limit are cut, and a note says so. NaN, with a reason,
for an empty text and one that the checkpoint was trained on or shares a passage with.
Raises MetricError at loading where the checkpoint is of another metric, in training
where the two models have different tokenizers or are no encoder-decoders that fill
gaps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.metrics._cdm.options import GenerativeCDMTraining
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Example, Output, Progress, Scores, option
from scoring.metrics._learning import classified
from scoring.metrics._learning.classified import Classified
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    MODEL_HELP,
    TrainingData,
    TrainingProgress,
)

KEY = "discriminator"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "",
        "a training that has ended",
        path="model",
        label="Trained model",
        takes=("trained",),
        typed=MODEL_HELP,
    )
    dtype: str = option(
        "float32",
        models.DTYPE_HELP,
        models.DTYPES,
        label="Arithmetic",
        titles=("32-bit floats", "bfloat16"),
    )


class GenerativeCDM(TrainedMetric):
    """How likely it is that no part of the text comes from a poor model."""

    title = "CDM (generative)"
    short = "CDM"
    source = "Lu et al. (2024), algorithm 1"
    link = "https://arxiv.org/abs/2306.11879"
    Options = Options
    TrainingOptions = GenerativeCDMTraining
    needs = frozenset({"training"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "probability of a person's text, [0, 1]"
        return (Output(KEY, "CDM, discriminator", unit, True),)

    def check(self) -> None:
        classified.check(self.options.model)

    def load(self, device: str = "cpu") -> Discriminating:
        """Load the checkpoint.

        Raises:
            MetricError: If it is not there, or one of another metric.
        """
        self.check()
        model = self.options.model
        judge, content = classified.load(model, device, self.options.dtype)
        name = classified.name_of(model)
        classified.check_made_for(judge, name, {"metric": self.name()})
        return Discriminating(
            self.signature(model=content),
            judge,
            KEY,
            lambda example: example.text,
            classified.human(judge),
        )

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        """The discriminator's. Its negatives are still to be written."""
        from scoring.metrics._cdm.task import Discriminator

        return Discriminator(data, options)

    @classmethod
    def go_on(
        cls,
        data: TrainingData,
        options: Any,
        folder: Path,
        progress: TrainingProgress,
        *,
        seconds: float | None,
        device: str,
        about: dict[str, object],
    ) -> bool:
        """Infilling models, if wanted, then negatives, then the discriminator."""
        from scoring.metrics._cdm.stages import Stages

        return Stages(
            cls.task(data, options),
            folder,
            progress,
            seconds=seconds,
            device=device,
            about=about,
        ).run()


class Discriminating(Classified):
    """A loaded checkpoint. Says so where its expert was none."""

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        found = super().__call__(examples, progress)
        warning = self._judge.facts.get("warning")
        return found._replace(notes=(*found.notes, warning)) if warning else found
