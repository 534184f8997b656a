"""Generative CDM: telling human texts from texts that a poor model has edited.

Lu et al. (2024), section 3.4.1 and algorithm 1. An amateur p_a and an expert p_e of one
family learn to fill gaps, or are used as they are. A segment of each human text is
removed and rewritten by sampling from the degraded distribution

    log p_n = log p_a - gamma m = (1 + gamma) log p_a - gamma log p_e - log Z

with m = log p_e - log p_a (eq. 4), token by token, given what is around the gap
(`_cdm_negatives`). An encoder with a classification head learns to tell the two apart,
from one rewritten text for each human text:

    score = exp(z_human) / (exp(z_human) + exp(z_machine)),

the probability that the whole text was written by a person, in [0, 1], higher is
better.

The paper leaves these open, so they are options: gamma; which segment is removed and
how long it is; temperature and truncation of p_n; which models. Segments that come out
unchanged, or that reach the length limit without ending, are left out. In both texts of
a pair the segment is decoded by the models' tokenizer, and both are cut at sentence
ends that make them about equally long, so that words and not length tell them apart.
Pairs without such sentence ends are left out too. Neither text is longer than the
encoder's limit, as far as the two tokenizers agree.

A checkpoint that was trained with `reads=source` reads the source of a text, such as a
dialogue, before the text, in training as in scoring. The two models that rewrite
segments do not see the source, so what they write need not fit it.

The metric assumes that the expert is the better model (eq. 2). If its loss on held-out
segments is not the lower one, the model card and a note say so.

How well a checkpoint recognises the segments it was trained on says little about texts
of other models. Texts longer than its limit are cut, and a note says so. NaN, with a
reason, for an empty text, for a text without the source that the checkpoint reads, and
for a text that the checkpoint was trained on or that shares a passage with one. Raises
MetricError at loading if the checkpoint belongs to another metric, and in training if
the two models have different tokenizers or are not encoder-decoders that fill gaps.
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
    dtype: str = models.dtype_option()


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
            MetricError: If it does not exist, or belongs to another metric.
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
            classified.text_of(judge),
            classified.human(judge),
            tells_unread=True,
        )

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        """The task of the discriminator. Its negatives are not written yet."""
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
        """Train infilling models if asked, write negatives, train the discriminator."""
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
    """A loaded checkpoint. A note warns if its expert was not the better model."""

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        found = super().__call__(examples, progress)
        warning = self._judge.facts.get("warning")
        return found._replace(notes=(*found.notes, warning)) if warning else found
