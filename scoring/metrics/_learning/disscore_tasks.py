"""What DisScore learns: texts with damage, texts behind another prefix, or labels."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from annotation.perturbations import PERTURBATIONS, _text
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning.human_task import Damage, HumanTask
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import TrainingData

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Text

MOST_CLASSES = 100
LONGEST_OPENING = 8  # words


class Coherence(HumanTask):
    """Texts by people, and the same with one kind of damage."""

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.names = options.chosen()

    def damaged(
        self, text: Text, document: int, rng: np.random.Generator
    ) -> Damage | None:
        """By one perturbation, all equally likely; where it cannot, by the next one."""
        assert isinstance(text, str)
        for k in rng.permutation(len(self.names)):
            name = self.names[k]
            after = PERTURBATIONS[name].apply(text, rng)
            if after is not None and self.readable(after) != text:
                return Damage(self.readable(after), (name,))
        return None

    def facts(self) -> dict[str, object]:
        return {
            "metric": "disscore",
            "aspect": "coherence",
            "perturbations": list(self.names),
        }


class Consistency(HumanTask):
    """How texts begin, with what follows there or in another text."""

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.prefix = options.prefix

    def human(self, text: str, rng: np.random.Generator) -> Text | None:
        return self.parted(text, rng)

    def damaged(
        self, text: Text, document: int, rng: np.random.Generator
    ) -> Damage | None:
        theirs = self.parted(self.another(document, rng), rng)
        return theirs and Damage((text[0], theirs[1]), ("transplant",))

    def parted(self, text: str, rng: np.random.Generator) -> tuple[str, str] | None:
        """Prefix and rest; None where a text has but one sentence."""
        places = _text.spans(text)
        if len(places) < 2:
            return None
        if self.prefix == "words":
            return _opening(text, rng)
        n = -(-len(places) // 3) if self.prefix == "third" else 1
        return text[: places[n - 1][1]], text[places[n][0] :].rstrip()

    def facts(self) -> dict[str, object]:
        return {"metric": "disscore", "aspect": "consistency", "prefix": self.prefix}


def _opening(text: str, rng: np.random.Generator) -> tuple[str, str] | None:
    """Some words, as few as prompts have, and the others."""
    words = text.split()
    n = int(rng.integers(1, LONGEST_OPENING + 1))
    return (" ".join(words[:n]), " ".join(words[n:])) if len(words) > n else None


class Attribute(HeadTask):
    """Texts with the label that the corpus gives them."""

    def __init__(self, data: TrainingData, options: Any) -> None:
        labels = [label.strip() for label in data.labels]
        there = [k for k, label in enumerate(labels) if label]
        classes = sorted({labels[k] for k in there})
        if not 2 <= len(classes) <= MOST_CLASSES:
            raise MetricError(
                f"expected 2 to {MOST_CLASSES} different labels in the column"
                f" {options.attribute or 'of the option attribute'}, got {len(classes)}"
            )
        labelled = dataclasses.replace(
            data,
            texts=[data.texts[k] for k in there],
            labels=[labels[k] for k in there],
        )
        super().__init__(labelled, options, classes)
        self.attribute = options.attribute

    def of(self, document: int, number: int) -> list[Labelled]:
        label = self.classes.index(self.data.labels[document])
        return [Labelled(self.data.texts[document], float(label))]

    def facts(self) -> dict[str, object]:
        return {
            "metric": "disscore",
            "aspect": "attribute",
            "attribute": self.attribute,
        }


TASKS = {"coherence": Coherence, "consistency": Consistency, "attribute": Attribute}
