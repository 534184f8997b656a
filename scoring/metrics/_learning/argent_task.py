"""What ARGENT learns: to see how much of a text was damaged."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from scoring.metrics._engine.base import Example, MetricError
from scoring.metrics._learning import corruptions
from scoring.metrics._learning.heads import Reader
from scoring.metrics._learning.tasks import HeadTask, Labelled
from scoring.metrics._learning.training import TrainingData

UNRELATED = 64  # pairs of texts that say what quality 0 is
_WORD = re.compile(r"\S+")


class Damaged(NamedTuple):
    """A damaged text, and what it was; NaN is a label that a metric has yet to give."""

    text: str
    target: float
    original: str
    number: int


class ArgentTask(HeadTask):
    """Regression of quality. `options` are those of `argent.ArgentTraining`."""

    options: Any

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.corruption = options.corruption
        self._methods = corruptions.methods(
            self.corruption.method,
            p_shuffle=self.corruption.p_shuffle,
            p_inflect=self.corruption.p_inflect,
        )
        self._labels: Labels | None = None
        self._known: dict[int, float] = {}  # labels of what is held out

    def of(self, document: int, number: int) -> list[Any]:
        original = beginning(self.data.texts[document], self.options.max_tokens)
        found = corruptions.corrupt(
            original,
            self._methods,
            rng_of(self.options.seed, number),
            shortest=self.options.shortest,
            longest=self.options.longest,
        )
        by_count = self.corruption.labels == "count"
        score = found.score if by_count else math.nan
        return [Damaged(found.text, score, original, number)]

    def loss(self, network: Reader, examples: list[Any]) -> torch.Tensor:
        return super().loss(network, self._labelled(network, examples))

    def figures(self, network: Reader, examples: list[Any]) -> dict[str, object]:
        return super().figures(network, self._labelled(network, examples))

    def facts(self) -> dict[str, object]:
        found: dict[str, object] = {"metric": "argent", **self.corruption._asdict()}
        if self._labels:
            found["labelled_by"] = self._labels.facts
        return found

    def _labelled(self, network: Reader, examples: list[Any]) -> list[Labelled]:
        """All with a number, by one call of the metric where it labels.

        What is held out comes again and again, and is labelled once.
        """
        if self.corruption.labels != "count":
            examples = self._by_metric(network, examples)
        return [Labelled(one.text, one.target) for one in examples]

    def _by_metric(self, network: Reader, examples: list[Damaged]) -> list[Damaged]:
        new = [one for one in examples if one.number not in self._known]
        if self._labels is None:
            device = next(network.parameters()).device.type
            firsts = [self.data.texts[k] for k in self.learned[: UNRELATED + 1]]
            firsts = [beginning(text, self.options.max_tokens) for text in firsts]
            self._labels = Labels(self.options, firsts, device)
        texts = [one.text for one in new]
        found = self._labels(texts, [one.original for one in new])
        labels = dict(zip((one.number for one in new), found.tolist(), strict=True))
        self._known |= {k: label for k, label in labels.items() if k < 0}
        labels |= self._known
        examples = [one._replace(target=labels[one.number]) for one in examples]
        known = [one for one in examples if not math.isnan(one.target)]
        if not known:
            raise MetricError(
                f"{self.options.reference_metric} gives no number to any of"
                f" {len(examples)} damaged texts: take another reference_metric"
            )
        return known


class Labels:
    """Similarity to the original, where a text with itself has 1 and another text 0.

    (s(Y~, Y) - low) / (high - low), cut off at 0 and 1, with high the mean of s(Y, Y)
    and low that of s(Y, Y') over 64 texts and those behind them: the range of a metric
    says little about what it makes use of, and BLEURT has none. With labels=raw they
    are s(Y~, Y) as it is, or its negative where lower is better.
    """

    def __init__(self, options: Any, texts: Sequence[str], device: str) -> None:
        metric, output = options.reference()
        self._key, self._scorer = output.key, metric.load(device)
        self._device = device
        low = _mean(self._scores(texts[:-1], texts[1:]))
        high = _mean(self._scores(texts, texts))
        if not math.isfinite(high - low) or high == low:
            raise MetricError(
                f"{options.reference_metric} does not tell a text from another:"
                f" {high:g} for the same, {low:g} for others. {self._why}".strip()
            )
        self._low, self._span = low, high - low
        self._raw = options.corruption.labels == "raw"
        self._sign = 1 if output.higher_is_better else -1
        self.facts = {"signature": self._scorer.signature, "low": low, "high": high}

    def __call__(self, texts: Sequence[str], originals: Sequence[str]) -> np.ndarray:
        """Quality of damaged texts, (n,) float64; NaN where there is none."""
        found = self._scores(texts, originals)
        if self._raw:
            return self._sign * found
        return ((found - self._low) / self._span).clip(0, 1)

    def _scores(self, texts: Sequence[str], originals: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty(0)
        pairs = zip(texts, originals, strict=True)
        examples = [Example(text, references=(original,)) for text, original in pairs]
        # Called within the loss: neither its gradient nor its arithmetic are meant.
        with torch.no_grad(), torch.autocast(self._device, enabled=False):
            found = self._scorer(examples)
        self._why = next(filter(None, found.reasons[self._key]), "")
        return np.asarray(found.values[self._key])


def _mean(found: np.ndarray) -> float:
    known = found[~np.isnan(found)]
    return float(known.mean()) if known.size else math.nan


def beginning(text: str, words: int) -> str:
    """The text up to so many words, with the white space between them.

    >>> beginning("One two  three four.", 3)
    'One two  three'
    """
    for k, found in enumerate(_WORD.finditer(text)):
        if k == words - 1:
            return text[: found.end()]
    return text


def rng_of(seed: int, number: int) -> np.random.Generator:
    """The chance of an example. Those below zero, held out, have their own."""
    if number < 0:
        return corruptions.rng_of(seed, -number, 1)
    return corruptions.rng_of(seed, number, 0)
