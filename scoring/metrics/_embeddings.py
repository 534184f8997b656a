"""One vector for each text, or for each token, from any model of one stack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics import _batches, _models
from scoring.metrics._base import MetricError, Progress

POOLINGS = ("auto", "mean", "cls", "last")
MAX_TOKENS = 512
BUDGET = 8192  # tokens of a batch
POOLING_HELP = (
    "what of a text's token vectors counts: their mean (sentence encoders), the first"
    " (cls, BERT) or the last (GPT-2); auto: last for models that continue texts, else"
    " mean"
)


class Encoder:
    """Embeds texts. Longer ones are cut to the first `max_tokens` tokens.

    An empty text has an embedding too: that of its special tokens, or of zeros.
    """

    def __init__(
        self, folder: Path, *, pooling: str, device: str, dtype: str, max_tokens: int
    ) -> None:
        self._model = _models.encoder(folder, device=device, dtype=dtype)
        self._tokenizer = _models.tokenizer(folder)
        self.device = next(self._model.parameters()).device
        config = self._model.config
        room = getattr(config, "max_position_embeddings", None) or max_tokens
        self.max_tokens = min(max_tokens, room)
        self.pooling = pooling if pooling != "auto" else _usual(config)
        self.width: int = config.hidden_size

    def __call__(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> np.ndarray:
        """Embeddings, (n, width) float32. Equal texts are embedded once."""
        places = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        rows = [self._ids(text) for text in places]
        found = np.zeros((len(rows), self.width), np.float32)
        meter = _batches.Meter(progress)
        meter.begin(texts=len(texts), work=sum(map(len, rows)))

        def work(batch: list[int], budget: int) -> None:
            found[batch] = self._pooled([rows[index] for index in batch])
            meter(sum(len(rows[index]) for index in batch))

        there = [index for index, row in enumerate(rows) if row]
        lengths = [len(rows[index]) for index in there]
        _batches.run(
            lengths, BUDGET, lambda batch, b: work([there[i] for i in batch], b)
        )
        meter.end()
        return found[[places[text] for text in texts]]

    def _ids(self, text: str) -> list[int]:
        found = self._tokenizer(text, truncation=True, max_length=self.max_tokens)
        return list(found["input_ids"])

    def _pooled(self, rows: list[list[int]]) -> np.ndarray:
        import torch

        ids, real = _batches.pad(rows, 0)
        mask = _batches.to(real, self.device)
        with torch.inference_mode():
            states = self._model(
                input_ids=_batches.to(ids, self.device), attention_mask=mask.long()
            ).last_hidden_state
            if self.pooling == "cls":
                pooled = states[:, 0]
            elif self.pooling == "last":
                last = mask.sum(1) - 1
                pooled = states[torch.arange(len(rows), device=self.device), last]
            else:
                weights = mask[..., None].to(states.dtype)
                pooled = (states * weights).sum(1) / weights.sum(1)
        return pooled.float().cpu().numpy()


def load(
    model: str,
    *,
    pooling: str = "auto",
    device: str = "cpu",
    dtype: str = "float32",
    max_tokens: int = MAX_TOKENS,
) -> Encoder:
    """An encoder of that name.

    Raises:
        MetricError: If there is none, or it has no vectors of texts.
    """
    folder = _models.find(model)
    device = _models.device(device)
    if max_tokens < 1:
        raise MetricError(f"max_tokens={max_tokens}: expected at least 1")
    return Encoder(
        folder, pooling=pooling, device=device, dtype=dtype, max_tokens=max_tokens
    )


def _usual(config: Any) -> str:
    kinds = config.architectures or []
    return (
        "last"
        if any(k.endswith(("LMHeadModel", "CausalLM")) for k in kinds)
        else ("mean")
    )
