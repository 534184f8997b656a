"""An encoder with a head on it: what a trained metric is made of.

    h = pooled token vectors,    z = W tanh(V h + b) + c

z has a value for each class, or a single one. Saved as a Hugging Face folder of the
encoder and its tokenizer, with the head in `head.safetensors` and what is known about
it in `head.json`. Folders of transformers' own `...ForSequenceClassification` are read,
too: published classifiers and regression metrics.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scoring.metrics import _batches, _hygiene, _models
from scoring.metrics._base import MetricError, Progress

WEIGHTS, FACTS = "head.safetensors", "head.json"
BUDGET = {"cpu": 4096}
BUDGET_OF_OTHERS = 32768
NARROW = 512  # wide models were made to be read at their first token

Text = str | tuple[str, str]  # a text, or two that belong together


class Reader(nn.Module):
    """Token ids in, z out."""

    def __init__(self, encoder: Any, *, pooling: str, outputs: int) -> None:
        super().__init__()
        self.encoder, self.pooling = encoder, pooling
        width = encoder.config.hidden_size
        self.head = nn.Sequential(
            nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs)
        )

    def forward(self, ids: Any, mask: Any) -> Any:
        """z, (texts, outputs)."""
        return self.head(self.pooled(self.states(ids, mask), mask))

    def states(self, ids: Any, mask: Any) -> Any:
        """The vector of each token, (texts, tokens, width)."""
        return self.encoder(
            input_ids=ids, attention_mask=mask.long()
        ).last_hidden_state.float()

    def pooled(self, states: Any, mask: Any) -> Any:
        if self.pooling == "cls":
            return states[:, 0]
        weights = mask[..., None].float()
        return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def begun(base: str, *, pooling: str, outputs: int, device: str) -> Reader:
    """A known encoder with a fresh head, whose weights torch's seed decides."""
    encoder = _models.encoder(_models.find(base), device="cpu", dtype="float32")
    if torch.device(device).type == "cpu":
        # The fused kernel's backward pass takes a third of a step there.
        encoder.set_attn_implementation("eager")
    if pooling == "auto":
        pooling = "mean" if encoder.config.hidden_size < NARROW else "cls"
    return Reader(encoder, pooling=pooling, outputs=outputs).to(device)


class Tokens:
    """Texts to padded ids, cut at their end."""

    def __init__(self, folder: Path, max_tokens: int, encoder: Any = None) -> None:
        self.tokenizer = _models.tokenizer(folder)
        self.tokenizer.truncation_side = "right"
        room = getattr(getattr(encoder, "config", None), "max_position_embeddings", 0)
        self.max_tokens = min(max_tokens, room or max_tokens)

    def __call__(self, texts: Sequence[Text]) -> list[list[int]]:
        return [self.cut(row) for row in self.whole(texts)]

    def whole(self, texts: Sequence[Text]) -> list[list[int]]:
        """Uncut. Two texts are joined by the mark that ends one, if there is any."""
        firsts = [one if isinstance(one, str) else one[0] for one in texts]
        quiet = {"padding": False, "truncation": False, "verbose": False}
        found = self.tokenizer(firsts, **quiet)["input_ids"]
        seconds = [None if isinstance(one, str) else one[1] for one in texts]
        if any(one is not None for one in seconds):
            there = self.tokenizer(
                [one or "" for one in seconds], add_special_tokens=False, **quiet
            )["input_ids"]
            found = [
                row if second is None else self._joined(row, rest)
                for row, second, rest in zip(found, seconds, there, strict=True)
            ]
        return found

    def cut(self, row: list[int]) -> list[int]:
        """The first tokens, and the last one where that is the mark of the end."""
        if len(row) <= self.max_tokens:
            return row
        ends = row[-1] in self.tokenizer.all_special_ids
        return row[: self.max_tokens - 1] + row[-1:] if ends else row[: self.max_tokens]

    def padded(self, rows: Sequence[list[int]], device: Any) -> tuple[Any, Any]:
        ids, real = _batches.pad(rows, self.tokenizer.pad_token_id or 0)
        return torch.from_numpy(ids).to(device), torch.from_numpy(real).to(device)

    def _joined(self, row: list[int], rest: list[int]) -> list[int]:
        """`[CLS] first [SEP] second [SEP]`; the first takes no more than half."""
        tail = row[-1:] if row and row[-1] in self.tokenizer.all_special_ids else []
        half = max(1, self.max_tokens // 2)
        first = row if len(row) <= half else row[: half - len(tail)] + tail
        return first + rest + tail


def save(reader: Reader, tokens: Tokens, folder: Path, facts: dict[str, Any]) -> None:
    """Write the folder of a finished checkpoint."""
    from safetensors.torch import save_file

    reader.encoder.save_pretrained(folder)
    tokens.tokenizer.save_pretrained(folder)
    state = {
        k: v.detach().cpu().contiguous() for k, v in reader.head.state_dict().items()
    }
    save_file(state, folder / WEIGHTS)
    head = {"pooling": reader.pooling, "max_tokens": tokens.max_tokens, **facts}
    (folder / FACTS).write_text(json.dumps(head, indent=1) + "\n")


class Judge:
    """A finished checkpoint that gives z for texts."""

    def __init__(self, folder: Path, *, device: str, dtype: str = "float32") -> None:
        self.folder, self.device = folder, torch.device(device)
        self.facts: dict[str, Any] = {}
        self._dtype = dtype
        if (folder / FACTS).exists():
            self._read = self._own()
        else:
            self._read = self._foreign()
        path = folder / _hygiene.SEEN
        self._seen = np.load(path, allow_pickle=False) if path.exists() else None

    def __call__(
        self, texts: Sequence[Text], progress: Progress | None = None
    ) -> np.ndarray:
        """z, (n, outputs) float64. Does not depend on order or batches, to 1e-5."""
        rows = self.tokens(texts)
        found = np.full((len(rows), self.facts["outputs"]), np.nan)
        meter = _batches.Meter(progress)
        meter.begin(texts=len(rows), work=len(rows))

        def work(batch: list[int], budget: int) -> None:
            ids, mask = self.tokens.padded([rows[k] for k in batch], self.device)
            with torch.inference_mode():
                found[batch] = self._read(ids, mask).double().cpu().numpy()
            meter(len(batch))

        budget = BUDGET.get(self.device.type, BUDGET_OF_OTHERS)
        _batches.run([len(row) for row in rows], budget, work)
        meter.end()
        return found

    def too_long(self, texts: Sequence[Text]) -> int:
        """How many texts are cut."""
        most = self.tokens.max_tokens
        return sum(len(row) > most for row in self.tokens.whole(texts))

    def knows(self, text: str) -> bool:
        """Whether it was trained on that text, or on one with a passage of it."""
        return self._seen is not None and _hygiene.touches(text, self._seen)

    def _own(self) -> Any:
        from safetensors.torch import load_file

        self.facts = json.loads((self.folder / FACTS).read_text())
        encoder = _models.encoder(
            self.folder, device=str(self.device), dtype=self._dtype
        )
        reader = Reader(
            encoder, pooling=self.facts["pooling"], outputs=self.facts["outputs"]
        )
        reader.head.load_state_dict(load_file(self.folder / WEIGHTS))
        reader = reader.to(self.device).eval()
        self.tokens = Tokens(self.folder, self.facts["max_tokens"], encoder)
        return reader

    def _foreign(self) -> Any:
        """A published one. Its classes are named in its configuration."""
        from transformers import AutoModelForSequenceClassification

        config = _models.config(self.folder)
        named = getattr(config, "architectures", None) or [""]
        if not named[0].endswith("ForSequenceClassification"):
            raise MetricError(
                f"{self.folder.name} is no trained metric: expected a checkpoint of"
                " this metric, or a model for sequence classification. Train one"
                " under Metrics, Training, or with `manage.py train_metric`"
            )
        model = _models._load(
            AutoModelForSequenceClassification,
            self.folder,
            str(self.device),
            self._dtype,
        )
        labels = [config.id2label[k] for k in range(config.num_labels)]
        self.facts = {"outputs": config.num_labels, "labels": labels, "kind": "foreign"}
        room = getattr(config, "max_position_embeddings", 512)
        self.tokens = Tokens(self.folder, min(512, room), None)
        return lambda ids, mask: model(
            input_ids=ids, attention_mask=mask.long()
        ).logits.float()
