"""What a metric is that must be trained before it scores.

`TrainedMetric.train(data, folder, progress)` continues from the state in the folder,
however often it is called, after its seconds were over or its process was killed, and
says whether the training has finished. A finished checkpoint is a Hugging Face folder,
`folder / MODEL`, which the metric's option `model` takes.
"""

from __future__ import annotations

import dataclasses
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from annotation import sentences
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Metric
from scoring.metrics._engine.options import checked
from scoring.metrics._learning import hygiene
from scoring.metrics._learning.training import (
    MODEL,
    Step,
    Training,
    TrainingData,
    TrainingProgress,
    digest,
)
from scoring.option_fields import option_fields

PACKAGES = ("lemminflect", "textblob")  # tag words and know their forms


class TrainedMetric(Metric):
    """A metric whose weights are learned here."""

    TrainingOptions: ClassVar[type[Any]] = Training
    learns: ClassVar[frozenset[str]] = frozenset({"texts"})  # texts labels ratings
    takes_test: ClassVar[bool] = False  # a test corpus, for figures of it
    cross_fits: ClassVar[bool] = False  # may learn the ratings of the study it scores
    compares_rated: ClassVar[bool] = True  # with a reference, or what stands for it

    @classmethod
    def task(cls, data: TrainingData, options: Any) -> Any:
        """What is learned (a `_fitting.Task`) from data that hygiene has let through.

        Whatever needs torch is imported here, not before. A metric has this or its own
        `go_on`.
        """
        raise NotImplementedError

    @classmethod
    def training(cls, **options: Any) -> Any:
        """The options of a training, checked.

        Raises:
            OptionError: If one is unknown or will not do.
        """
        found = cls.TrainingOptions(**checked(cls.TrainingOptions, options))
        found.check()
        return found

    @classmethod
    def train(
        cls,
        data: TrainingData,
        folder: Path,
        progress: TrainingProgress,
        *,
        seconds: float | None = None,
        device: str = "cpu",
        **options: Any,
    ) -> bool:
        """Start or continue a training; True when its checkpoint is finished.

        Args:
            data: The same at each call.
            folder: Of this training alone. Made where it is not there.
            progress: Told at most a few times a second.
            seconds: How long this call may take, or a little more; None: to the end.
            device: Where to train.
            options: Of `TrainingOptions`.

        Raises:
            OptionError, MetricError: What a user can cure.
            Whatever `progress` raises.
        """
        chosen = cls.training(**options)
        if (folder / MODEL).is_dir():
            return True
        folder.mkdir(parents=True, exist_ok=True)
        progress(Step("preparing the texts", 0, 0))
        clean, facts = hygiene.cleaned(data, chosen, folder)
        about: dict[str, object] = {
            "metric": cls.name(),
            "options": dataclasses.asdict(chosen),
            "signature": cls.training_signature(clean, chosen),
            "data": {**facts, "rated": len(clean.rated)},
        }
        return cls.go_on(
            clean,
            chosen,
            folder,
            progress,
            seconds=seconds,
            device=device,
            about=about,
        )

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
        """What `train` does once its data are clean: fit the task.

        A metric that learns in several stages has its own. `about` is for the card.
        """
        from scoring.metrics._learning import fitting

        return fitting.fit(
            cls.task(data, options),
            fitting.plan_of(options),
            folder,
            progress,
            seconds=seconds,
            device=device,
            about=about,
        )

    @classmethod
    def training_signature(cls, data: TrainingData, options: Any) -> str:
        """Data, options, contents of the models it begins with, seed, versions.

        The data are those that hygiene has let through: they decide the weights. So do
        the programs that find sentences and the forms of words.
        """
        pairs = dataclasses.asdict(options)
        kind: type = type(options)
        for field in option_fields(kind):
            value = getattr(options, field.name)
            if field.path == "model" and value:
                pairs[field.name] = models.content_hash(models.find(value))
        parts = [f"{key}:{value}" for key, value in sorted(pairs.items())]
        parts.append(f"data:sha256:{digest(data)[:16]}")
        parts.append(f"splitter:{sentences.NAME}")
        parts += [f"{package}:{version(package)}" for package in PACKAGES]
        return "|".join([cls.name(), "training", *parts, f"v:{cls.version}"])
