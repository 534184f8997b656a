"""Tasks of an encoder with a head: tell classes apart, or predict a number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import torch

from annotation.sentences import scripts
from scoring.metrics._engine import models
from scoring.metrics._engine.base import MetricError
from scoring.metrics._learning import hygiene, sources
from scoring.metrics._learning.heads import Reader, Text, Tokens, begun, save
from scoring.metrics._learning.hygiene import auc
from scoring.metrics._learning.training import Training, TrainingData

MOST_HELD_OUT = 1000  # documents that figures are taken of


class Labelled(NamedTuple):
    """A text, or two, and what is to be said of it."""

    text: Text
    target: float  # a class's number, or a quality from 0 to 1


class HeadTask:
    """Learns documents; what their examples are is for those who inherit to say.

    `classes` names them in the order of the targets; none: a number is predicted.
    """

    per_document = 1

    def __init__(
        self, data: TrainingData, options: Training, classes: Sequence[str] = ()
    ) -> None:
        self.options, self.classes, self.data = options, tuple(classes), data
        self.learned, self.kept = self.sides()
        if not self.learned or not self.kept:
            raise MetricError(
                f"expected texts to learn from and to hold out, got {len(self.learned)}"
                f" and {len(self.kept)}: give more texts, or another held_out"
            )
        self.n = len(self.learned)
        self.seen = [data.texts[k] for k in self.learned]
        self._tokens: Tokens | None = None

    def sides(self) -> tuple[list[int], list[int]]:
        """Documents that are learned from, and those that figures are taken of."""
        places, share = map(hygiene.place, self.data.texts), self.options.held_out
        found = list(enumerate(places))
        learned = [k for k, p in found if p >= share]
        # Corpora are often sorted by label: what is looked at must be a fair part.
        kept = sorted((p, k) for k, p in found if p < share)
        return learned, [k for _, k in kept[:MOST_HELD_OUT]]

    # What differs ---------------------------------------------------------------------

    def of(self, document: int, number: int) -> list[Labelled]:
        """The examples of a document (its place in the data's texts).

        All chance comes from (options.seed, number): see `_corruptions.rng_of`.
        """
        raise NotImplementedError

    def facts(self) -> dict[str, object]:
        """What else a scorer must know of the checkpoint."""
        return {}

    # What does not --------------------------------------------------------------------

    def read_as(self, document: int, text: Text) -> Text:
        """A text as it is read: behind its source where the data have sources."""
        if not self.data.sources or not isinstance(text, str):
            return text
        return sources.recent(self.data.sources[document], self.counter), text

    @cached_property
    def counter(self) -> Tokens:
        """Held-out examples are made before there is a network."""
        folder = models.find(self.options.base)
        sized = SimpleNamespace(config=models.config(folder))
        return Tokens(folder, self.options.max_tokens, sized)

    def examples(self, number: int) -> list[Labelled]:
        return self.of(self.learned[number % self.n], number)

    def held_out(self) -> list[Labelled]:
        """Numbers below zero, which no epoch has, and no seed but one of its own."""
        found: list[Labelled] = []
        for k, document in enumerate(self.kept):
            found += self.of(document, -1 - k)
        return found

    def build(self, device: str) -> Reader:
        reader = begun(
            self.options.base,
            pooling=self.options.pooling,
            outputs=len(self.classes) or 1,
            device=device,
        )
        folder = models.find(self.options.base)
        self._tokens = Tokens(folder, self.options.max_tokens, reader.encoder)
        return reader

    def read(self, network: Reader, texts: Sequence[Text]) -> torch.Tensor:
        """What the head says of the texts: z, (texts, outputs)."""
        ids, mask = self.ids(network, texts)
        return network(ids, mask)

    def ids(self, network: Reader, texts: Sequence[Text]) -> tuple[Any, Any]:
        assert self._tokens is not None
        device = next(network.parameters()).device
        return self._tokens.padded(self._tokens(texts), device)

    def loss(self, network: Reader, examples: list[Labelled]) -> torch.Tensor:
        z = self.read(network, [one.text for one in examples])
        targets = torch.tensor([one.target for one in examples], device=z.device)
        if self.classes:
            return torch.nn.functional.cross_entropy(z, targets.long())
        return torch.nn.functional.mse_loss(z[:, 0], targets.float())

    def predicted(self, network: Reader, examples: list[Labelled]) -> np.ndarray:
        """z, (n, outputs) float64."""
        size, found = self.options.batch, []
        with torch.no_grad():
            for start in range(0, len(examples), size):
                part = [one.text for one in examples[start : start + size]]
                found.append(self.read(network, part).cpu().double().numpy())
        return np.concatenate(found)

    def figures(self, network: Reader, examples: list[Labelled]) -> dict[str, object]:
        """With held-out examples: accuracy and AUC of classes, or correlations."""
        return self.described(self.predicted(network, examples), examples)

    def described(self, z: np.ndarray, examples: list[Any]) -> dict[str, object]:
        """How good the predictions z, (n, outputs), are."""
        targets = np.array([one.target for one in examples])
        lengths = [len(scripts.pieces(_whole(one.text))) for one in examples]
        found: dict[str, object] = {"n": len(examples)}
        if self.classes:
            return found | _of_classes(z, targets, lengths)
        return found | _of_numbers(z[:, 0], targets, lengths)

    def save(self, network: Reader, folder: Path) -> None:
        assert self._tokens is not None
        facts = {
            "labels": list(self.classes),
            "outputs": len(self.classes) or 1,
            "kind": "classes" if self.classes else "number",
            **({"reads": sources.SOURCE} if self.data.sources else {}),
            **self.facts(),
        }
        save(network, self._tokens, folder, facts)


def _of_classes(
    z: np.ndarray, targets: np.ndarray, lengths: list[int]
) -> dict[str, object]:
    found: dict[str, object] = {"accuracy": float((z.argmax(1) == targets).mean())}
    shares = np.bincount(targets.astype(int), minlength=z.shape[1]) / len(targets)
    found["majority"] = float(shares.max())
    if z.shape[1] == 2:
        found["auc"] = auc(z[:, 1] - z[:, 0], targets == 1)
        found["auc_of_length"] = hygiene.separable(lengths, targets == 1)
    return found


def _of_numbers(
    z: np.ndarray, targets: np.ndarray, lengths: list[int]
) -> dict[str, object]:
    from scipy import stats

    if np.ptp(targets) == 0 or np.ptp(z) == 0:
        return {"mse": float(((z - targets) ** 2).mean())}
    return {
        "mse": float(((z - targets) ** 2).mean()),
        "pearson": float(stats.pearsonr(z, targets).statistic),
        "spearman": float(stats.spearmanr(z, targets).statistic),
        "spearman_of_length": float(stats.spearmanr(lengths, targets).statistic)
        if np.ptp(lengths)
        else None,
    }


def _whole(text: Text) -> str:
    return text if isinstance(text, str) else " ".join(text)
