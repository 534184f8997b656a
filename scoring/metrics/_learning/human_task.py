"""Human texts and a damaged copy of each, to be told apart.

What lies beyond the last sentence that the model can read is left away on both sides,
before the damage and after it: else there were damaged texts without any damage that
is read, and where a text breaks off would tell which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from annotation.perturbations import _text
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning.classified import DAMAGED, HUMAN
from scoring.metrics._learning.corruptions import rng_of
from scoring.metrics._learning.heads import Reader, Text
from scoring.metrics._learning.hygiene import auc
from scoring.metrics._learning.tasks import HeadTask
from scoring.metrics._learning.training import Training, TrainingData


class Told(NamedTuple):
    """One side of a pair."""

    text: Text
    target: float  # 1: a person's
    kinds: tuple[str, ...] = ()  # of damage
    original: Text = ""  # what was damaged
    place: float = 0.0  # drawn from [0, 1)


class Damage(NamedTuple):
    text: Text
    kinds: tuple[str, ...]


class HumanTask(HeadTask):
    """Documents give two examples each, or none where nothing damages them."""

    per_document = 2

    def __init__(self, data: TrainingData, options: Training) -> None:
        super().__init__(data, options, (DAMAGED, HUMAN))
        self._held_out = frozenset(self.kept)

    # What differs ---------------------------------------------------------------------

    def human(self, text: str, rng: np.random.Generator) -> Text | None:
        """What the model reads of a text; None where that cannot be damaged."""
        return self.readable(text)

    def damaged(
        self, text: Text, document: int, rng: np.random.Generator
    ) -> Damage | None:
        """Other than the text, or None."""
        raise NotImplementedError

    # What does not --------------------------------------------------------------------

    def of(self, document: int, number: int) -> list[Any]:
        rng = chance(self.options.seed, number)
        text = self.human(self.data.texts[document], rng)
        damage = None if text is None else self.damaged(text, document, rng)
        if text is None or damage is None or damage.text == text:
            return []
        human, damaged = (self.read_as(document, one) for one in (text, damage.text))
        places = rng.random(2)
        return [
            Told(human, 1.0, (), human, places[0]),
            Told(damaged, 0.0, damage.kinds, human, places[1]),
        ]

    def held_out(self) -> list[Any]:
        found = super().held_out()
        if not found:
            raise MetricError(
                f"none of the {len(self.kept)} held-out texts can be damaged: give"
                " texts of several sentences"
            )
        return found

    def side(self, document: int) -> list[int]:
        """All documents that are learned if this one is, or all that are held out."""
        return self.kept if document in self._held_out else self.learned

    def another(self, document: int, rng: np.random.Generator) -> str:
        """Another text of the same side; empty where there is none."""
        side = self.side(document)
        drawn = int(rng.integers(len(side)))
        if side[drawn] == document:
            drawn = (drawn + 1) % len(side)
        other = self.data.texts[side[drawn]]
        return "" if other == self.data.texts[document] else other

    def readable(self, text: str) -> str:
        """The sentences from its beginning that the model reads whole; the first."""
        places = _text.spans(text)
        if not places:
            return text
        tokenizer = self.counter.tokenizer
        rows = tokenizer(
            [text[start:end] for start, end in places],
            add_special_tokens=False,
            verbose=False,
        )["input_ids"]
        room = self.counter.max_tokens - tokenizer.num_special_tokens_to_add()
        if self.data.sources:
            both = self.counter.room(parts=2)
            room = both - both // 2
        n = int((np.cumsum([len(row) for row in rows]) <= room).sum())
        return text[: places[max(n, 1) - 1][1]]

    def figures(self, network: Reader, examples: Sequence[Any]) -> dict[str, object]:
        """Also the AUC of each kind of damage against all texts by people."""
        z = self.predicted(network, list(examples))
        found: dict[str, Any] = self.described(z, list(examples))
        margin = z[:, 1] - z[:, 0]
        human = np.array([one.target == 1 for one in examples])
        found["auc_by_kind"], found["kinds"] = {}, {}
        for kind in sorted({kind for one in examples for kind in one.kinds}):
            has = np.array([kind in one.kinds for one in examples])
            found["auc_by_kind"][kind] = auc(margin[human | has], human[human | has])
            found["kinds"][kind] = int(has.sum())
        return found


def chance(seed: int, number: int) -> np.random.Generator:
    """That of an example; held-out documents have numbers below zero."""
    return rng_of(seed, abs(number), int(number < 0))
