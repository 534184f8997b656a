"""One vector for each text, from an encoder, or a causal model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.metrics._distributions.vectors import Kept
from scoring.metrics._engine import batches, models
from scoring.metrics._engine.base import MetricError, Progress, option

if TYPE_CHECKING:
    import torch

POOLINGS = ("auto", "paper", "mean", "cls", "last")
POOLING_HELP = (
    "how a text's token vectors become one vector: their mean (sentence encoders), the"
    " first one (cls, for BERT) or the last one (for GPT-2); automatic: the last one"
    " for models that continue texts, else the mean; as in the paper: the last one for"
    " models that continue texts, else the first one"
)
POOLING_TITLES = (
    "automatic",
    "as in the paper: first token of BERT, last of GPT-2",
    "mean of all",
    "first token",
    "last token",
)
SAME = 1e-5  # differences this small, relative to the largest number, are rounding
MAX_TOKENS = 512
# Tokens in a batch: on a CPU, more do not fit into its cache.
BUDGET = {"cpu": 4096}
BUDGET_OF_OTHERS = 32768
SLAB = 512  # texts whose vectors are kept together; what is lost where a worker dies
WAIT_SECONDS = 1.0  # for another worker, before looking again
VERSION = 1  # raised whenever the same text gets another vector


def model_option() -> Any:
    return option(
        "openai-community/gpt2-large",
        "the model that turns texts into vectors",
        path="model",
        typed=models.ENCODER_HELP,
        label="Model that embeds the texts",
        takes=("encoder", "causal"),
    )


def pooling_option() -> Any:
    return option(
        "auto",
        POOLING_HELP,
        POOLINGS,
        label="How token vectors become one",
        titles=POOLING_TITLES,
    )


def max_tokens_option() -> Any:
    return option(
        MAX_TOKENS,
        "longer texts are cut after this many tokens",
        label="Longest text, in tokens",
    )


class Encoder:
    """Embeds texts. Longer ones are cut to the first `max_tokens` tokens.

    An empty text is its special tokens. Where the tokenizer adds none, as that of
    GPT-2, there is nothing to embed, and its vector is zero.
    """

    def __init__(
        self, folder: Path, *, pooling: str, device: str, dtype: str, max_tokens: int
    ) -> None:
        self._model = models.encoder(folder, device=device, dtype=dtype)
        self._tokenizer = models.tokenizer(folder)
        # A text is cut at its end, whatever the tokenizer was last used for.
        self._tokenizer.truncation_side = "right"
        self.device = next(self._model.parameters()).device
        config = self._model.config
        self.max_tokens = min(max_tokens, _room(self._model) or max_tokens)
        self.pooling = _usual(config, pooling)
        self.width: int = config.hidden_size
        content = models.content_hash(folder)
        self._kept = Kept(VERSION, content, self.pooling, self.max_tokens, dtype)
        if (special := self._tokenizer.num_special_tokens_to_add()) >= self.max_tokens:
            raise MetricError(
                f"max_tokens={max_tokens}: expected more than {special}, the number of"
                f" special tokens that {folder.name} adds to a text"
            )

    def __call__(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> np.ndarray:
        """Embeddings, (n, width) float32. Equal texts are embedded once.

        What was embedded before is read from where `_vectors` keeps it. The rest is
        kept slab by slab, so that a run which is tried again continues where it
        stopped. A slab that another worker is at is left to it, and waited for when
        nothing else is left: two workers do not embed the same texts twice.

        Raises:
            MetricError: If the model gives vectors that are not finite.
        """
        vectors = self._kept.read(texts)
        # Texts of similar length together, and the same batches whatever the order of
        # the texts; the same slabs for all workers, whatever is embedded already.
        ordered = sorted(set(texts), key=lambda t: (-len(t), t))
        slabs = [ordered[n : n + SLAB] for n in range(0, len(ordered), SLAB)]
        meter = batches.Meter(progress)
        meter.begin(texts=len(texts), work=len(ordered) - len(vectors))
        while slabs := [slab for slab in slabs if not vectors.keys() >= set(slab)]:
            done = False
            for slab in slabs:
                with self._kept.claimed(slab) as mine:
                    if mine:
                        self._add(slab, vectors, meter)
                done = done or mine
            if not done:
                time.sleep(WAIT_SECONDS)
                if progress is not None:
                    progress(0)
        meter.end()
        rows = [vectors[text] for text in texts]
        return np.array(rows, np.float32).reshape(len(rows), self.width)

    def _add(
        self, slab: list[str], vectors: dict[str, np.ndarray], meter: batches.Meter
    ) -> None:
        if self._kept.is_shared:  # it may have been done since we looked
            vectors |= self._kept.read([text for text in slab if text not in vectors])
        if missing := [text for text in slab if text not in vectors]:
            found = self._embedded(missing, meter)
            self._kept.write(missing, found)
            vectors |= zip(missing, found, strict=True)

    def _embedded(self, texts: list[str], meter: batches.Meter) -> np.ndarray:
        cut = {"truncation": True, "max_length": self.max_tokens}
        rows = self._tokenizer(texts, padding=False, **cut)["input_ids"]
        found = np.zeros((len(rows), self.width), np.float32)
        there = [index for index, row in enumerate(rows) if row]
        done: list[tuple[list[int], torch.Tensor]] = []

        def work(batch: list[int], budget: int) -> None:
            chosen = [there[k] for k in batch]
            done.append((chosen, self._pooled([rows[index] for index in chosen])))
            meter(len(chosen))

        budget = BUDGET.get(self.device.type, BUDGET_OF_OTHERS)
        batches.run([len(rows[index]) for index in there], budget, work)
        for chosen, pooled in done:  # now, so that no batch waited for the device
            found[chosen] = pooled.cpu().numpy()
        if not np.isfinite(found).all():
            raise MetricError(
                "the model gives vectors that are not finite: use dtype=float32, or"
                " another model"
            )
        return found

    def _pooled(self, rows: list[list[int]]) -> torch.Tensor:
        import torch

        # RoBERTa counts positions from where the ids are not padding.
        ids, real = batches.pad(rows, self._tokenizer.pad_token_id or 0)
        mask = batches.to(real, self.device)
        with torch.inference_mode():
            states = self._model(
                input_ids=batches.to(ids, self.device), attention_mask=mask.long()
            ).last_hidden_state.float()
            if self.pooling == "cls":
                return states[:, 0].clone()  # a view would keep all states in memory
            if self.pooling == "last":
                every = torch.arange(len(rows), device=self.device)
                return states[every, mask.sum(1) - 1]
            weights = mask[..., None].float()
            return (states * weights).sum(1) / weights.sum(1)


def load(
    model: str,
    *,
    pooling: str = "auto",
    device: str = "cpu",
    dtype: str = "float32",
    max_tokens: int = MAX_TOKENS,
) -> Encoder:
    """The encoder with that name.

    Raises:
        MetricError: If there is none, or it gives no vectors for texts.
    """
    folder = models.find(model)
    device = models.device(device)
    if max_tokens < 1:
        raise MetricError(f"max_tokens={max_tokens}: expected at least 1")
    return Encoder(
        folder, pooling=pooling, device=device, dtype=dtype, max_tokens=max_tokens
    )


def chosen(options: Any, device: str) -> tuple[Encoder, str]:
    """The encoder that a metric's options name, and the hash of its files.

    Args:
        options: With model, pooling, dtype and max_tokens.
        device: Where it is to run.

    Raises:
        MetricError: As `load`.
    """
    encoder = load(
        options.model,
        pooling=options.pooling,
        device=device,
        dtype=options.dtype,
        max_tokens=options.max_tokens,
    )
    return encoder, models.content_hash(models.find(options.model))


def check_vary(texts: Sequence[str], vectors: np.ndarray) -> None:
    """Refuse vectors that say nothing about their texts: every divergence would be 0.

    Args:
        texts: Some may be equal.
        vectors: One for each text, (n, width).

    Raises:
        MetricError: If texts differ but all vectors are the same.
    """
    if len(set(texts)) < 2:
        return
    apart = np.abs(vectors - vectors[0]).max(initial=0)
    if apart <= SAME * np.abs(vectors).max(initial=0):
        raise MetricError(
            "the model gives all texts the same vector, although the texts differ: use"
            " another pooling, or another model"
        )


def _usual(config: Any, pooling: str) -> str:
    """How that kind of model is pooled: by what it was built for, not its last task.

    Raises:
        MetricError: If only the first token would count in a model that reads from
            left to right: its vector cannot depend on the rest of the text.
    """
    from transformers.models.auto import modeling_auto as known

    continues = config.model_type in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    fills = config.model_type in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    last = continues and not fills
    if pooling == "cls" and last:
        raise MetricError(
            "pooling=cls: this model reads from left to right, so its first token says"
            " nothing about the text. Use pooling=last, or paper, which is the first"
            " token for models that fill gaps and the last one for models that continue"
            " texts"
        )
    if pooling not in ("auto", "paper"):
        return pooling
    if last:
        return "last"
    return "cls" if pooling == "paper" else "mean"


def _room(model: Any) -> int | None:
    """Tokens that the model has positions for; None: no limit."""
    room: int | None = getattr(model.config, "max_position_embeddings", None)
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    # RoBERTa counts positions from the one behind that of padding.
    padding = getattr(table, "padding_idx", None)
    return room - padding - 1 if room and padding is not None else room
