"""What DisScore learns: texts with damage, texts behind another prefix, or labels."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from annotation.perturbations import PERTURBATIONS, _text
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning.human_task import Damage, HumanTask
from scoring.metrics._learning.hygiene import place
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import TrainingData

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Reader, Text

MOST_CLASSES = 100
LONGEST_OPENING = 8  # words
MOST_TESTED = 50_000  # texts of a test corpus
UNTESTED = (
    "No figures of the test corpus: none of its texts can be used. Texts need several"
    " sentences, or one of the labels that were learned."
)


class Tested(HeadTask):
    """Takes its figures of a test corpus, too, where there is one."""

    def figures(self, network: Reader, examples: Sequence[Any]) -> dict[str, object]:
        found = super().figures(network, list(examples))
        if not self.data.tests:
            return found
        asked = self.tested()
        if not asked:  # what was learned shall not be lost for that
            return {**found, "test": {"n": 0, "warning": UNTESTED}}
        return {**found, "test": super().figures(network, asked)}

    def tested(self) -> list[Any]:
        """Examples of the test corpus; empty where it has none."""
        with contextlib.suppress(MetricError):  # HumanTask: nothing can be damaged
            return self.tests().held_out()
        return []

    def tests(self) -> Self:
        """The same task with the test texts in place of those that are held out.

        Of very many a part is taken, the same at all times.
        """
        texts, labels = list(self.data.tests), list(self.data.test_labels)
        places = sorted(self.usable(texts, labels), key=lambda k: place(texts[k]))
        kept = sorted(places[:MOST_TESTED])
        other = copy.copy(self)
        other.data = dataclasses.replace(
            self.data,
            texts=[texts[k] for k in kept],
            labels=[labels[k].strip() for k in kept] if labels else [],
        )
        other.learned, other.kept = [], list(range(len(kept)))
        return other

    def usable(self, texts: Sequence[str], labels: Sequence[str]) -> list[int]:
        """Places of the test texts that figures can be taken of."""
        return [k for k, text in enumerate(texts) if text.strip()]


class Coherence(Tested, HumanTask):
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


class Consistency(Tested, HumanTask):
    """How texts begin, with what follows there or in another text."""

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.prefix = options.prefix

    def tests(self) -> Self:
        other = super().tests()
        other._held_out = frozenset(other.kept)  # others of the same side
        return other

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


class Attribute(Tested, HeadTask):
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

    def usable(self, texts: Sequence[str], labels: Sequence[str]) -> list[int]:
        """With one of the labels that were learned."""
        there = super().usable(texts, labels)
        return [k for k in there if labels[k].strip() in self.classes]

    def facts(self) -> dict[str, object]:
        return {
            "metric": "disscore",
            "aspect": "attribute",
            "attribute": self.attribute,
        }


TASKS = {"coherence": Coherence, "consistency": Consistency, "attribute": Attribute}
