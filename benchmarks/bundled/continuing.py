"""Continue a text: what the causal models learn (Llama architecture)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bundled.pack import Pack, Window
from benchmarks.bundled.vocabulary import BOS, EOS, PAD
from benchmarks.bundled.windows import Arrays, padded, wanted

if TYPE_CHECKING:
    from torch import Tensor


class Continuing:
    """Windows with a begin token, and an end token where the document ends."""

    limits: tuple[int, ...] = (120, 248, 504)

    def __init__(self, pack: Pack) -> None:
        self.vocabulary = pack.vocabulary

    def arrays(self, windows: Sequence[Window], rng: np.random.Generator) -> Arrays:
        rows = [
            np.array([BOS, *window.ids, *([EOS] if window.is_end else [])])
            for window in windows
        ]
        return {
            "ids": padded([row[:-1] for row in rows], PAD),
            **wanted([row[1:] for row in rows]),
        }

    def parts(
        self, windows: Sequence[Window], rng: np.random.Generator, n: int
    ) -> list[Arrays]:
        """One: texts of about one length leave nothing to gain."""
        return [self.arrays(windows, rng)]

    def network(self, sizes: Mapping[str, Any]) -> Any:
        from transformers import LlamaConfig, LlamaForCausalLM

        config = LlamaConfig(
            vocab_size=self.vocabulary,
            max_position_embeddings=512,
            pad_token_id=PAD,
            bos_token_id=BOS,
            eos_token_id=EOS,
            tie_word_embeddings=True,
            **sizes,
        )
        return LlamaForCausalLM(config)

    def last_norm(self, network: Any) -> Any:
        return network.model.norm

    def trunk(self, network: Any) -> Any:
        return network.model

    def shipped(self, network: Any) -> Any:
        return network

    def loss(self, network: Any, batch: Mapping[str, Tensor]) -> tuple[Any, int]:
        from torch.nn.functional import cross_entropy

        # Padding stands behind, where no real token looks: no mask.
        states = network.model(input_ids=batch["ids"], use_cache=False)
        chosen = states.last_hidden_state.flatten(0, 1)[batch["places"]]
        logits = network.lm_head(chosen)
        return cross_entropy(logits.float(), batch["labels"]), len(batch["labels"])
