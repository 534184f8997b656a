"""Scores that are the probability of a class, by a trained encoder with a head.

    p_c = exp(z_c) / sum_c' exp(z_c')

in [0, 1], of whichever class c the metric asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    MetricError,
    OptionError,
    Progress,
    Scores,
    silent,
)
from scoring.metrics._learning import hygiene, sources

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Judge, Text

HUMAN = "human"
DAMAGED = "damaged"
NO_MODEL = (
    "no checkpoint is given: train one under Metrics, Training, or with"
    " `manage.py train_metric`, and set the option model to it"
)
EMPTY = "the text is empty"


class Undefined(Exception):
    """This text has no such score; the message says why."""


def check(model: str) -> None:
    """Raise OptionError where no checkpoint is named."""
    if not model:
        raise OptionError(NO_MODEL)


def load(model: str, device: str, dtype: str) -> tuple[Judge, str]:
    """The checkpoint, and the hash of its contents.

    Raises:
        MetricError: If there is none, or it tells no classes apart.
    """
    from scoring.metrics._learning.heads import Judge

    folder = models.find(model)
    judge = Judge(folder, device=models.device(device), dtype=dtype)
    if judge.facts["outputs"] < 2:
        raise MetricError(
            f"{model} predicts a number: expected a checkpoint that tells classes apart"
        )
    return judge, models.content_hash(folder)


def made_for(judge: Judge) -> str:
    """What a checkpoint was trained for, "union" or "disscore, coherence"."""
    facts = judge.facts
    names = [facts.get("metric", ""), facts.get("aspect", "")]
    return ", ".join(filter(None, names)) or "another purpose"


class Classified:
    """A loaded checkpoint that gives one number for each text."""

    def __init__(
        self,
        signature: str,
        judge: Judge,
        key: str,
        read: Callable[[Example], Text],
        class_of: Callable[[Example], int],
        *,
        tells_unread: bool = False,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Both `read` and `class_of` may raise Undefined.

        Args:
            signature: Of the metric with its options.
            judge: The checkpoint.
            key: Of the output.
            read: What the checkpoint is given of an example.
            class_of: The number of the class whose probability is the score.
            tells_unread: Whether a note says that texts have a source that is not read.
            notes: What else to say of the checkpoint.
        """
        self._notes = notes
        self._tells_unread = tells_unread
        self.signature = signature
        self._judge, self._key = judge, key
        self._read, self._class_of = read, class_of

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts. What the checkpoint was trained on gets NaN, with a reason."""
        tell = progress or silent
        texts: list[Text] = []
        classes, places = [], []
        reasons: list[str | None] = []
        for place, example in enumerate(examples):
            try:
                classes.append(self._asked(example))
                texts.append(self._read(example))
                places.append(place)
                reasons.append(None)
            except Undefined as why:
                del classes[len(texts) :]
                reasons.append(str(why))
        tell(len(examples) - len(texts))
        values = np.full(len(examples), np.nan)
        values[places] = self._shares(texts, classes, tell)
        read = self._of_sources(examples, texts)
        notes = (*self._judge.notes(texts), *read, *self._notes)
        return Scores({self._key: values}, {self._key: reasons}, {}, notes)

    def _of_sources(
        self, examples: Sequence[Example], texts: Sequence[Text]
    ) -> Iterator[str]:
        """Whether a source is cut, or is there and not read."""
        if not reads_source(self._judge):
            if self._tells_unread and any(one.source.strip() for one in examples):
                yield sources.NOT_READ
            return
        read = {one[0].strip() for one in texts if not isinstance(one, str)}
        if {one.source.strip() for one in examples if one.source.strip()} - read:
            yield sources.CUT

    def _asked(self, example: Example) -> int:
        if not example.text.strip():
            raise Undefined(EMPTY)
        if self._judge.knows(example.text):
            raise Undefined(hygiene.LEFT_OUT)
        return self._class_of(example)

    def _shares(
        self, texts: Sequence[Text], classes: Sequence[int], tell: Progress
    ) -> np.ndarray:
        """Probability of the class of each text, (n,) float64."""
        if not texts:
            return np.empty(0)
        z = self._judge(texts, tell)
        return shares(z)[np.arange(len(texts)), list(classes)]


def shares(z: np.ndarray) -> np.ndarray:
    """Softmax of each row, (n, classes)."""
    powers = np.exp(z - z.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def text_of(judge: Judge) -> Callable[[Example], Text]:
    """What a checkpoint reads of an example: its text, behind the source if it does."""
    if not reads_source(judge):
        return lambda example: example.text

    def both(example: Example) -> Text:
        if not example.source.strip():
            raise Undefined(sources.NO_SOURCE)
        return sources.recent(example.source, judge.tokens), example.text

    return both


def reads_source(judge: Judge) -> bool:
    return judge.facts.get("reads") == sources.SOURCE


def human(judge: Judge) -> Callable[[Example], int]:
    """Asks any example for the probability that a person wrote it."""
    number = judge.facts["labels"].index(HUMAN)
    return lambda example: number


def check_made_for(judge: Judge, name: str, wanted: Mapping[str, str]) -> None:
    """Raise MetricError where a checkpoint was not trained for what is wanted."""
    if any(judge.facts.get(key) != value for key, value in wanted.items()):
        expected = ", ".join(wanted.values())
        raise MetricError(
            f"{name} was trained for {made_for(judge)}: expected one for {expected}"
        )


def name_of(model: str) -> str:
    """How messages call a checkpoint: never by the path of its folder."""
    return model if model.startswith(models.CHECKPOINT) else Path(model).name
