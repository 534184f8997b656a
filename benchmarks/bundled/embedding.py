"""Tell texts apart: what the encoder learns (DistilBERT architecture, no pooler).

Two halves of a window are read one by one, with 15 % of their tokens hidden. The lost
tokens are guessed, which makes token embeddings (BERTScore), and each half must find
the other one among all halves of the batch by the mean of its token embeddings, which
makes text embeddings (cluster-based divergences).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bundled.pack import Pack, Window
from benchmarks.bundled.vocabulary import BOS, EOS, MASK_2, PAD, SPECIAL
from benchmarks.bundled.windows import Arrays, padded

if TYPE_CHECKING:
    from torch import Tensor

HIDDEN = 0.15  # Devlin et al. (2019): of these 80 % masked, 10 % replaced, 10 % kept
TEMPERATURE = 0.05


class Embedding:
    """Pairs of halves with hidden tokens."""

    limits: tuple[int, ...] = (96, 224, 448)

    def __init__(self, pack: Pack) -> None:
        self.vocabulary = pack.vocabulary

    def arrays(self, windows: Sequence[Window], rng: np.random.Generator) -> Arrays:
        halves = [_halves(window) for window in windows]
        rows = [
            np.concatenate([[BOS], half, [EOS]])
            for side in zip(*halves, strict=True)
            for half in side
        ]
        ids = padded(rows, PAD)
        hidden = (rng.random(ids.shape) < HIDDEN) & (ids >= len(SPECIAL))
        found = {"places": np.flatnonzero(hidden), "labels": ids[hidden]}
        how = rng.random(ids.shape)
        others = rng.integers(len(SPECIAL), self.vocabulary, ids.shape)
        ids = np.where(hidden & (how < 0.8), MASK_2, ids)
        return {"ids": np.where(hidden & (how >= 0.9), others, ids), **found}

    def parts(
        self, windows: Sequence[Window], rng: np.random.Generator, n: int
    ) -> list[Arrays]:
        """One: each half is looked for among all of the batch."""
        return [self.arrays(windows, rng)]

    def network(self, sizes: Mapping[str, Any]) -> Any:
        from transformers import DistilBertConfig, DistilBertForMaskedLM

        config = DistilBertConfig(
            vocab_size=self.vocabulary,
            max_position_embeddings=512,
            pad_token_id=PAD,
            bos_token_id=BOS,
            eos_token_id=EOS,
            **sizes,
        )
        return DistilBertForMaskedLM(config)

    def last_norm(self, network: Any) -> Any:
        return network.vocab_layer_norm

    def trunk(self, network: Any) -> Any:
        return network.distilbert

    def shipped(self, network: Any) -> Any:
        return network.distilbert

    def loss(self, network: Any, batch: Mapping[str, Tensor]) -> tuple[Any, int]:
        import torch
        from torch.nn.functional import cross_entropy, normalize

        real = batch["ids"] != PAD
        states = self.trunk(network)(
            input_ids=batch["ids"], attention_mask=real
        ).last_hidden_state
        chosen = states.flatten(0, 1)[batch["places"]]
        chosen = network.activation(network.vocab_transform(chosen))
        logits = network.vocab_projector(network.vocab_layer_norm(chosen))
        # A sum: a batch of few short texts may have no token hidden, and no mean.
        guessed = cross_entropy(logits.float(), batch["labels"], reduction="sum")
        guessed = guessed / max(1, len(batch["labels"]))

        # In full precision: the temperature makes much of small differences.
        with torch.autocast(states.device.type, enabled=False):
            shares = real / real.sum(1, keepdim=True)
            means = (states.float() * shares[..., None]).sum(1)
            front, back = normalize(means, dim=-1).chunk(2)
            near = front @ back.T / TEMPERATURE
            own = torch.arange(len(front), device=near.device)
            found = (cross_entropy(near, own) + cross_entropy(near.T, own)) / 2
        return guessed + found, len(batch["labels"])


def _halves(window: Window) -> tuple[np.ndarray, np.ndarray]:
    """Cut at the sentence that begins nearest to the middle."""
    middle = len(window.ids) // 2
    inner = window.bounds[1:-1]
    inner = inner[inner < len(window.ids)]
    at = int(inner[np.abs(inner - middle).argmin()]) if len(inner) else middle
    return window.ids[:at], window.ids[at:]
