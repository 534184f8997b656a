"""A metric that can be trained, for tests of what stands around it, and its rows."""

from __future__ import annotations

import dataclasses
from typing import Any

from annotation.models import Study
from evalapp import storage
from scoring.metrics import OptionError, Output
from scoring.metrics._engine.base import option
from scoring.metrics._learning.trained import TrainedMetric
from scoring.metrics._learning.training import MODEL, MODEL_HELP, Training
from scoring.models import Checkpoint

LOG = [
    {"stage": "training", "step": 10, "loss": 0.7, "held_out": 0.69, "seconds": 6.0},
    {"stage": "training", "step": 20, "loss": 0.4, "held_out": 0.45, "seconds": 11.0},
    {"stage": "training", "step": 30, "loss": 0.3, "seconds": 16.5},
]
CARD = {
    "data": {
        "given": 1200,
        "drawn": 1000,
        "empty": 2,
        "overlapping": 3,
        "overlapping_rated": 0,
        "evaluated": 8,
        "held_out": 99,
        "classes": {"sea": 600, "land": 395},
    },
    "figures": {
        "n": 198,
        "accuracy": 0.86,
        "majority": 0.5,
        "auc": 0.9375,
        "auc_of_length": 0.51,
    },
    "seconds": 16.5,
    "rate": 0.0005,
    "device": "cpu",
}


@dataclasses.dataclass(frozen=True)
class LearnerOptions:
    model: str = option("", MODEL_HELP, path="model", takes=("trained",))
    cautious: bool = option(False, "score with care")


@dataclasses.dataclass(frozen=True)
class LearnerTraining(Training):
    aspect: str = option("coherence", "what is learned", ("coherence", "attribute"))
    cautious: bool = option(False, "learn with care")
    prefix: int = option(1, "sentences that are given")
    attribute: str = option("", "column of the corpus that holds the labels")

    def check(self) -> None:
        super().check()
        if self.aspect == "attribute" and not self.attribute:
            raise OptionError("attribute=: expected a column of the corpus")


class Learner(TrainedMetric):
    title, source = "Learner", "Doe (2021), eq. 4"
    Options = LearnerOptions
    TrainingOptions = LearnerTraining
    needs = frozenset({"training"})
    learns = frozenset({"texts", "labels"})
    outputs = (Output("learned", "Learned quality", "probability, [0, 1]", True),)

    @classmethod
    def name(cls) -> str:
        return "learner"

    def check(self) -> None:
        if not self.options.model:
            raise OptionError("model=: expected a model; train one under Training")

    @classmethod
    def task(cls, data: Any, options: Any) -> Any:
        raise NotImplementedError

    def load(self, device: str = "cpu") -> Any:
        raise NotImplementedError


class Fond(Learner):
    """Learns from ratings, too."""

    title = "Fond"
    TrainingOptions = Training
    learns = frozenset({"texts", "ratings"})

    @classmethod
    def name(cls) -> str:
        return "fond"


def training_of(study: Study, name: str = "learner-1", **fields: Any) -> Checkpoint:
    """A training as its worker would leave it."""
    given = {"metric": "learner", "corpus": study.corpora.first(), **fields}
    return Checkpoint.objects.create(study=study, name=name, **given)


def trained(study: Study, name: str = "learner-1", **fields: Any) -> Checkpoint:
    """A finished training, with a small file in place of a model."""
    done = {"state": Checkpoint.State.DONE, "step": 30, "steps": 30}
    card = {"log": LOG, "card": CARD, "signature": "learner|training|v:1"}
    found = training_of(study, name, **{**done, **card, **fields})
    (storage.local(found.stored_as) / MODEL).mkdir(parents=True)
    (storage.local(found.stored_as) / MODEL / "config.json").write_text("{}")
    return found
