"""CDM pooled by a probe: how people would rate a text, from its contrastive momentum.

A text has the momentum m(s_t) = log p_e(s_t | s_<t) - log p_a(s_t | s_<t) of each of
its tokens, under an expert p_e and an amateur p_a, as in the metric cdm. Instead of
their mean, the score is a linear map of few features of these values, whatever their
number (Lu et al. 2024, figure 3b, pooling by a probe):

    polynomial   the means of m, m^2 and m^3
    linear       mean, standard deviation, last value and quantiles of m

fitted by ridge regression to the mean ratings of texts, which are scaled to 0 to 1,
higher is better.

The probe is supervised. It is fitted on the Training page, to ratings of another study
or of the very study that is scored. In both cases it is cross-validated: the prompts,
told apart by prefix and source, are divided into `folds`, and a probe that was fitted
without the prompts of a fold predicts its ratings. The figures of the training are the
correlation of these predictions with the ratings, with a 95 % interval from a bootstrap
over prompts. Ratings of the study itself are used only so (cross-fitting): each text is
scored by the probe that has seen no text of its prompt, nor one that shares 13 words in
a row with a text of its fold.

Scores are about [0, 1] and not clipped. NaN, with a reason, where cdm gives none and
for a text that the probe was fitted on. Raises MetricError at loading if the training
does not exist or belongs to another metric, and if its two models have changed since.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from scoring.metrics._cdm import contrast, probes
from scoring.metrics._cdm.probes import Probe
from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    MetricError,
    OptionError,
    Output,
    Progress,
    Scores,
    option,
)
from scoring.metrics._learning import classified, pairing
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import (
    MODEL_HELP,
    TrainingData,
    TrainingProgress,
)
from scoring.metrics.cdm import CDM, CDMScorer

KEY = "rating"
SEEN = "the probe was fitted on this text"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "",
        "a training that has ended",
        path="model",
        label="Trained probe",
        takes=("trained",),
        typed=MODEL_HELP,
    )


@dataclasses.dataclass(frozen=True)
class ProbeTraining:
    """Which momentum is measured, and what is made of it."""

    expert: str = contrast.expert_option("bundled:causal-small")
    amateur: str = contrast.amateur_option("bundled:causal-nano")
    features: str = option(
        "polynomial",
        "what the probe sees of the momentum: the means of its first three powers, or"
        " its mean, deviation, last value and quantiles",
        tuple(sorted(probes.FEATURES, reverse=True)),
        label="Features",
        titles=("polynomial", "linear"),
    )
    context: str = contrast.context_option()
    folds: int = option(
        5,
        "parts into which the prompts are divided: each is predicted by a probe that"
        " was fitted to the others",
        label="Folds",
    )
    ridge: float = option(1.0, "penalty on large weights", label="Ridge penalty")

    # What cleaning the data asks of all trainings: no corpus is learned from here.
    texts: ClassVar[int] = 0
    held_out: ClassVar[float] = 0.0
    seed: ClassVar[int] = 0

    def check(self) -> None:
        """Raise OptionError where a number is out of range, or a model is missing."""
        contrast.check_named(self.expert, self.amateur)
        for name, low, high in (("folds", 2, 20), ("ridge", 1e-6, 1e6)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise OptionError(f"{name}={value:g}: expected {low:g} to {high:g}")


class CDMProbe(TrainedMetric):
    """A rating predicted from contrastive momentum."""

    title = "CDM, probe fitted on ratings"
    short = "CDM probe"
    source = "Lu et al. (2024), figure 3b"
    link = "https://arxiv.org/abs/2306.11879"
    Options = Options
    TrainingOptions = ProbeTraining
    needs = frozenset({"training"})
    learns: ClassVar[frozenset[str]] = frozenset({"ratings"})
    cross_fits = True
    compares_rated = False

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "predicted rating, about [0, 1]"
        return (Output(KEY, "CDM, probe fitted on ratings", unit, True),)

    def check(self) -> None:
        classified.check(self.options.model)

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
        """Measure the momentum of all rated texts, then fit in closed form."""
        from scoring.metrics._cdm.probe_task import Fitting

        fitting = Fitting(data, options, folder, about)
        return fitting.run(progress, seconds=seconds, device=device)

    def load(self, device: str = "cpu") -> CDMProbeScorer:
        """Load the probe and the two models that it was fitted with.

        Raises:
            OptionError: If no training was chosen.
            MetricError: If it does not exist, belongs to another metric, or its models
            are missing or have changed.
        """
        self.check()
        model = self.options.model
        folder = models.find(model)
        try:
            facts = json.loads((folder / probes.TRAINED).read_text())
            found = [probes.from_json(one) for one in facts["probes"]]
            names = {key: facts[key] for key in ("expert", "amateur", "context")}
        except (OSError, KeyError, TypeError, ValueError):
            raise MetricError(
                f"{classified.name_of(model)} is no probe of CDM: train one under"
                " Metrics, Training"
            ) from None
        metric = CDM(**names)
        if any(one.pair != metric.pair() for one in found):
            raise MetricError(
                "model: the expert or the amateur that the probe was fitted with has"
                " changed since: train another probe"
            )
        signature = self.signature(model=models.content_hash(folder))
        scorer = metric.load(device)
        return CDMProbeScorer(signature, scorer, found, facts.get("fold_of", {}))


class CDMProbeScorer:
    """Loaded models with the probes of all folds, or one for all texts."""

    def __init__(
        self,
        signature: str,
        scorer: CDMScorer,
        probes: Sequence[Probe],
        fold_of: Mapping[str, int],
    ) -> None:
        self.signature = signature
        self._scorer, self._probes, self._fold_of = scorer, probes, fold_of

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        found = self._scorer(examples, progress)
        values = np.full(len(examples), np.nan)
        reasons = list(found.reasons["mean"])
        for k, (example, row) in enumerate(
            zip(examples, found.parts["m"], strict=True)
        ):
            probe, steps = self._probe(example), row[np.isfinite(row)]
            if probe.has_seen(example.text):
                reasons[k] = SEEN
            elif len(steps):
                values[k] = probe.rating(steps)
        return Scores({KEY: values}, {KEY: reasons}, notes=found.notes)

    def _probe(self, example: Example) -> Probe:
        """That of its prompt's fold; no fold has seen a new prompt: then the last."""
        known = pairing.document(prefix=example.prefix, source=example.source)
        return self._probes[self._fold_of.get(known, len(self._probes) - 1)]
