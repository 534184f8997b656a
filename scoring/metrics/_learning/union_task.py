"""What UNION learns: to tell damage from human writing, and to undo it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from annotation import sentences
from scoring.metrics._learning.heads import Reader, Text
from scoring.metrics._learning.human_task import Damage, HumanTask, Told
from scoring.metrics._learning.training import TrainingData
from scoring.metrics._learning.union_negatives import Vocabulary, negative


class Rebuilder(nn.Module):
    """Scores of all tokens from a state h, as a masked language model gives them:

    E norm(gelu(W h + b)) + c,

    with E the encoder's own input vectors, (vocabulary, d).
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        n, d = encoder.get_input_embeddings().weight.shape
        self.dense = nn.Linear(encoder.config.hidden_size, d)
        self.norm = nn.LayerNorm(d)
        self.bias = nn.Parameter(torch.zeros(n))

    def forward(self, states: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """(places, vocabulary)."""
        known = self.norm(nn.functional.gelu(self.dense(states)))
        return nn.functional.linear(known, vectors, self.bias)


class UnionTask(HumanTask):
    """Both sides of a pair are told apart and rebuilt."""

    def __init__(self, data: TrainingData, options: Any) -> None:
        super().__init__(data, options)
        self.union, self.drawn = options, options.negatives()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Of what is learned alone."""
        return Vocabulary.of([self.data.texts[k] for k in self.learned])

    def damaged(
        self, text: Text, document: int, rng: np.random.Generator
    ) -> Damage | None:
        assert isinstance(text, str)

        def others(rng: np.random.Generator) -> list[str]:
            return sentences.split(self.another(document, rng))

        found = negative(text, others, self.vocabulary, rng, self.drawn)
        return found and Damage(self.readable(found.text), found.types)

    def build(self, device: str) -> Reader:
        reader = super().build(device)
        reader.rebuilder = Rebuilder(reader.encoder).to(device)
        return reader

    def loss(self, network: Reader, examples: list[Any]) -> torch.Tensor:
        """Cross-entropy of the classes and, for each token, of the original."""
        ids, mask = self.ids(network, [one.text for one in examples])
        states = network.states(ids, mask)
        z = network.head(network.pooled(states, mask))
        targets = torch.tensor([int(one.target) for one in examples], device=z.device)
        told = nn.functional.cross_entropy(z.float(), targets)
        if not self.union.reconstruction:
            return told
        rebuilt = self._rebuilt(network, states, mask, examples)
        return told + self.union.reconstruction * rebuilt

    def _rebuilt(
        self, network: Reader, states: Any, mask: Any, examples: list[Told]
    ) -> torch.Tensor:
        """Mean over the texts of the mean over their places: none of the source."""
        assert self._tokens is not None
        originals = self._tokens([one.original for one in examples])
        lengths = mask.sum(1).tolist()
        rows, places, ids, weights = [], [], [], []
        for row, (one, original) in enumerate(zip(examples, originals, strict=True)):
            start = self._tokens.start(one.text)
            n = min(lengths[row], len(original)) - start
            chosen = [start + k for k in self._places(n, one.place)]
            rows += [row] * len(chosen)
            places += chosen
            ids += [original[k] for k in chosen]
            weights += [1 / len(chosen) / len(examples)] * len(chosen)
        vectors = network.encoder.get_input_embeddings().weight
        rebuilder: Any = network.rebuilder
        scores = rebuilder(states[rows, places], vectors)
        lost = nn.functional.cross_entropy(
            scores.float(), torch.tensor(ids, device=states.device), reduction="none"
        )
        return (lost * torch.tensor(weights, device=states.device)).sum()

    def _places(self, n: int, drawn: float) -> list[int]:
        """Some of 0 to n - 1, evenly spaced from a random first one."""
        most = self.union.places or n
        if n <= most:
            return list(range(n))
        return ((np.arange(most) + drawn) * n / most).astype(int).tolist()

    def facts(self) -> dict[str, object]:
        drawn = {"numbers": self.drawn.numbers, "types": self.drawn.weights}
        return {"metric": "union", "errors": drawn}
