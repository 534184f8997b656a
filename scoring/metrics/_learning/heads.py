"""An encoder with a head on it: what a trained metric is made of.

    h = pooled token vectors,    z = W tanh(V h + b) + c

z has a value for each class, or a single one. Saved as a Hugging Face folder of the
encoder and its tokenizer, with the head in `head.safetensors` and what is known about
it in `head.json`. Folders of transformers' own `...ForSequenceClassification` are read,
too: published classifiers and regression metrics.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch
from torch import nn

from scoring.metrics._engine import batches, models
from scoring.metrics._engine.base import MetricError, Progress
from scoring.metrics._learning import hygiene

WEIGHTS, FACTS = "head.safetensors", "head.json"
KNOWN = {"pooling": str, "max_tokens": int, "outputs": int}
BUDGET = {"cpu": 4096}
BUDGET_OF_OTHERS = 32768
MOST_OF_OTHERS = 512  # tokens that published checkpoints are given
NARROW = 512  # wide models were made to be read at one token

Text = str | tuple[str, str]  # a text, or two that belong together


class Facts(TypedDict, total=False):
    """What scorers read of a checkpoint's head; its file may say more."""

    pooling: str
    max_tokens: int
    outputs: int
    kind: str  # "classes", "number", or "foreign": not of this app
    labels: list[str]  # of the classes
    metric: str  # that it was trained for
    aspect: str
    signals: list[str]  # that a BLEURT predicts
    pair: str  # what it reads before the text
    fold_of: dict[str, int]  # by prompt, where it was cross-fitted
    warning: str
    reads: str  # "source": a text behind its source


class Reader(nn.Module):
    """Token ids in, z out.

    `end` is the id of the mark behind a text, where the encoder or the pooling is to be
    told which of two texts a token is of.

    With pooling "pair" h is (a, b, |a - b|, a b) of the means a and b of two texts. The
    encoder reads both at once as ever; small ones that never learned to compare texts
    learn it much sooner so.
    """

    def __init__(
        self, encoder: Any, *, pooling: str, outputs: int, end: int | None = None
    ) -> None:
        super().__init__()
        self.encoder, self.pooling, self.end = encoder, pooling, end
        width = encoder.config.hidden_size
        pooled = 4 * width if pooling == "pair" else width
        self.head = nn.Sequential(
            nn.Linear(pooled, width), nn.Tanh(), nn.Linear(width, outputs)
        )

    def forward(self, ids: Any, mask: Any) -> Any:
        """z, (texts, outputs)."""
        return self.head(self.pooled(self.states(ids, mask), mask, ids))

    def states(self, ids: Any, mask: Any) -> Any:
        """The vector of each token, (texts, tokens, width)."""
        return self.encoder(
            input_ids=ids, attention_mask=mask.long(), **self._sides(ids)
        ).last_hidden_state.float()

    def _sides(self, ids: Any) -> dict[str, object]:
        return sides(self.encoder.config, ids, self.end)

    def pooled(self, states: Any, mask: Any, ids: Any = None) -> Any:
        """h, (texts, width); four times as wide for pairs, whose ids are needed."""
        if self.pooling == "cls":
            return states[:, 0]
        if self.pooling == "last":
            last = mask.long().sum(1).clamp(min=1) - 1
            return states[torch.arange(len(states), device=states.device), last]
        if self.pooling == "pair":
            second = side(ids, self.end).bool()
            a = _mean(states, mask.bool() & ~second)
            b = _mean(states, mask.bool() & second)
            return torch.cat([a, b, (a - b).abs(), a * b], dim=1)
        return _mean(states, mask)


def _mean(states: Any, mask: Any) -> Any:
    weights = mask[..., None].float()
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def sides(config: Any, ids: Any, end: int | None) -> dict[str, object]:
    """What a model is given that asks which of a pair's texts each token is of."""
    if end is None or getattr(config, "type_vocab_size", 0) < 2:
        return {}
    return {"token_type_ids": side(ids, end)}


def side(ids: Any, end: int | None) -> Any:
    """Which of a pair's texts each token is of, 0 or 1.

    As BERT's tokenizer says it: the mark behind a text counts as its own.
    """
    ends = (ids == end).long() if end is not None else torch.zeros_like(ids)
    return (ends.cumsum(1) - ends).clamp(max=1)


def begun(base: str, *, pooling: str, outputs: int, device: str) -> Reader:
    """A known encoder with a fresh head, whose weights torch's seed decides."""
    folder = models.find(base)
    encoder = models.encoder(folder, device="cpu", dtype="float32")
    if torch.device(device).type == "cpu":
        # The fused kernel's backward pass takes a third of a step there.
        encoder.set_attn_implementation("eager")
    if pooling == "auto":
        pooling = _pooling(encoder.config)
    end = Tokens(folder, 8).end
    return Reader(encoder, pooling=pooling, outputs=outputs, end=end).to(device)


def _pooling(config: Any) -> str:
    """What suits a model. Where it reads left to right the first token knows nothing.

    `AutoModel` leaves the name of the class that was saved.
    """
    if config.hidden_size < NARROW:
        return "mean"
    named = (getattr(config, "architectures", None) or [""])[0]
    return "last" if named.endswith(("ForCausalLM", "LMHeadModel")) else "cls"


class Tokens:
    """Texts, or pairs of texts, to padded ids, cut at their end.

    A pair is put together as the tokenizer does it: `[CLS] first [SEP] second [SEP]`.
    Where it is too long the second is cut, and the first down to half of the room.
    """

    def __init__(self, folder: Path, max_tokens: int, encoder: Any = None) -> None:
        self.tokenizer = models.tokenizer(folder)
        room = getattr(getattr(encoder, "config", None), "max_position_embeddings", 0)
        # RoBERTa has two positions that no token takes; its tokenizer knows.
        known = self.tokenizer.model_max_length
        self.max_tokens = min(max_tokens, room or max_tokens, known or max_tokens)
        self._head, self._between, self._tail = self._marks()

    def __call__(self, texts: Sequence[Text]) -> list[list[int]]:
        return [self._joined(*bodies) for bodies in self._bodies(texts)]

    def lengths(self, texts: Sequence[Text]) -> list[int]:
        """Tokens of each, uncut, with the marks."""
        marks, more = len(self._head) + len(self._tail), len(self._between)
        return [
            marks + len(first) + (0 if second is None else more + len(second))
            for first, second in self._bodies(texts)
        ]

    def padded(self, rows: Sequence[list[int]], device: Any) -> tuple[Any, Any]:
        ids, real = batches.pad(rows, self.tokenizer.pad_token_id or 0)
        return torch.from_numpy(ids).to(device), torch.from_numpy(real).to(device)

    def count(self, text: str) -> int:
        """Tokens of a text, uncut, without marks."""
        ((body, _),) = self._bodies([text])
        return len(body)

    def room(self, parts: int = 1) -> int:
        """Tokens that one text may have, or two together."""
        marks = len(self._head) + len(self._tail) + (parts - 1) * len(self._between)
        return self.max_tokens - marks

    def start(self, text: Text) -> int:
        """Where the second of two begins, if the first is not cut; 0 for one text."""
        if isinstance(text, str):
            return 0
        return len(self._head) + self.count(text[0]) + len(self._between)

    @property
    def marks_parts(self) -> bool:
        """Whether something stands between two texts."""
        return bool(self._between)

    @property
    def end(self) -> int | None:
        """The mark behind a text."""
        return self._tail[-1] if self._tail else None

    def _bodies(
        self, texts: Sequence[Text]
    ) -> list[tuple[list[int], list[int] | None]]:
        """Ids without marks."""
        flat = [
            part for one in texts for part in ((one,) if isinstance(one, str) else one)
        ]
        if not flat:
            return []
        found = iter(
            self.tokenizer(
                flat,
                add_special_tokens=False,
                padding=False,
                truncation=False,
                verbose=False,
            )["input_ids"]
        )
        return [
            (next(found), None if isinstance(one, str) else next(found))
            for one in texts
        ]

    def _joined(self, first: list[int], second: list[int] | None) -> list[int]:
        room = self.max_tokens - len(self._head) - len(self._tail)
        if second is None:
            return self._head + first[: max(1, room)] + self._tail
        room -= len(self._between)
        first = first[: max(1, room // 2, room - len(second))]
        second = second[: max(1, room - len(first))]
        return self._head + first + self._between + second + self._tail

    def _marks(self) -> tuple[list[int], list[int], list[int]]:
        """What the tokenizer puts before a text, between two, and at the end."""
        body = self.tokenizer("a", add_special_tokens=False)["input_ids"]
        one, two = (self.tokenizer(*"aa"[:n])["input_ids"] for n in (1, 2))
        special = set(self.tokenizer.all_special_ids)
        head = list(itertools.takewhile(special.__contains__, one))
        tail = one[len(head) + len(body) :]
        between = two[len(head) + len(body) : len(two) - len(body) - len(tail)]
        return head, between or tail[-1:], tail


def save(
    reader: Reader, tokens: Tokens, folder: Path, facts: Mapping[str, object]
) -> None:
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


def _facts(folder: Path) -> Facts:
    """What is known about the head of a checkpoint."""
    try:
        found = json.loads((folder / FACTS).read_text())
        good = all(isinstance(found[name], kind) for name, kind in KNOWN.items())
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise MetricError(
            f"{folder.name}/{FACTS} does not say what a checkpoint must"
            f" ({', '.join(KNOWN)}): download the checkpoint again, as a whole"
        )
    return found


class Judge:
    """A finished checkpoint that gives z for texts."""

    def __init__(self, folder: Path, *, device: str, dtype: str = "float32") -> None:
        self.folder, self.device = folder, torch.device(device)
        self.facts: Facts = {}
        self._dtype = dtype
        if (folder / FACTS).exists():
            self._read = self._own()
        else:
            self._read = self._foreign()
        self._seen = hygiene.seen_by(folder)

    def __call__(
        self, texts: Sequence[Text], progress: Progress | None = None
    ) -> np.ndarray:
        """z, (n, outputs) float64. Does not depend on order or batches, to 1e-5."""
        rows = self.tokens(texts)
        found = np.full((len(rows), self.facts["outputs"]), np.nan)
        meter = batches.Meter(progress)
        meter.begin(texts=len(rows), work=len(rows))

        def work(batch: list[int], budget: int) -> None:
            ids, mask = self.tokens.padded([rows[k] for k in batch], self.device)
            with torch.inference_mode():
                found[batch] = self._read(ids, mask).cpu().double().numpy()
            meter(len(batch))

        budget = BUDGET.get(self.device.type, BUDGET_OF_OTHERS)
        batches.run([len(row) for row in rows], budget, work)
        meter.end()
        return found

    def notes(self, texts: Sequence[Text]) -> tuple[str, ...]:
        """Whether any is cut, in words. Not how many: a run scores its texts in parts,
        and says once what several parts say.
        """
        most = self.tokens.max_tokens
        if not texts or max(self.tokens.lengths(texts)) <= most:
            return ()
        return (f"Some texts are longer than {most} tokens: their beginning was read.",)

    def knows(self, text: str) -> bool:
        """Whether it was trained on that text, or on one with a passage of it."""
        return hygiene.touches(text, self._seen)

    def _own(self) -> Any:
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        self.facts = _facts(self.folder)
        encoder = models.encoder(
            self.folder, device=str(self.device), dtype=self._dtype
        )
        self.tokens = Tokens(self.folder, self.facts["max_tokens"], encoder)
        reader = Reader(
            encoder,
            pooling=self.facts["pooling"],
            outputs=self.facts["outputs"],
            end=self.tokens.end,
        )
        try:
            reader.head.load_state_dict(load_file(self.folder / WEIGHTS))
        except (OSError, RuntimeError, SafetensorError) as error:
            raise MetricError(
                f"{self.folder.name} lacks its head, or has another's ({WEIGHTS}):"
                " download the checkpoint again, as a whole"
            ) from error
        return reader.to(self.device).eval()

    def _foreign(self) -> Any:
        """A published one. Its classes are named in its configuration."""
        from transformers import AutoModelForSequenceClassification

        config = models.config(self.folder)
        named = getattr(config, "architectures", None) or [""]
        if not named[0].endswith("ForSequenceClassification"):
            raise MetricError(
                f"{self.folder.name} is no trained metric: expected a checkpoint of"
                " this metric, or a model for sequence classification. Train one"
                " under Metrics, Training, or with `manage.py train_metric`"
            )
        model = models._load(
            AutoModelForSequenceClassification,
            self.folder,
            str(self.device),
            self._dtype,
        )
        labels = [config.id2label[k] for k in range(config.num_labels)]
        self.facts = {"outputs": config.num_labels, "labels": labels, "kind": "foreign"}
        self.tokens = Tokens(self.folder, MOST_OF_OTHERS, model)

        def read(ids: Any, mask: Any) -> Any:
            more = sides(config, ids, self.tokens.end)
            found = model(input_ids=ids, attention_mask=mask.long(), **more)
            return found.logits.float()

        return read
