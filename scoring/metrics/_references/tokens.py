"""A vector and a weight for each token of a text, from any encoder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.metrics._distributions import embeddings as _embeddings
from scoring.metrics._engine import batches, models
from scoring.metrics._engine.base import MetricError, option
from scoring.metrics._engine.batches import Meter

if TYPE_CHECKING:
    import torch

BUDGET = 8192  # tokens of a batch
LINES = 1000  # of a file of texts, tokenised at once

# Whose vectors agree best with people, by kind of model and its number of layers: Zhang
# et al. (2020), appendix B, and their released code.
USUAL_LAYERS = {
    ("bert", 12): 9,
    ("bert", 24): 18,
    ("distilbert", 6): 5,
    ("roberta", 6): 5,
    ("roberta", 12): 10,
    ("roberta", 24): 17,
    ("xlm-roberta", 12): 9,
    ("xlm-roberta", 24): 17,
}


def model_option(default: str) -> Any:
    return option(
        default,
        "encoder whose token vectors are compared",
        path="model",
        typed=models.ENCODER_HELP,
        label="Encoder",
        takes=("encoder",),
    )


def layer_option(default: int) -> Any:
    return option(
        default,
        "which layer's vectors are compared: 1 is the first, -1 the last; 0 is the one"
        " that BERTScore's authors chose for this kind and size of model, or the last"
        " one if they chose none",
        label="Layer of the encoder",
    )


def idf_option() -> Any:
    return option(
        "",
        "file with one text per line, usually all references: the fewer of them contain"
        " a token, the more it counts; without a file, all tokens count the same",
        path="file",
        label="Texts for token weights (IDF file)",
    )


class Row(NamedTuple):
    """A text in tokens."""

    ids: list[int]
    added: list[int]  # 1 where the tokenizer put a special token, else 0
    is_cut: bool


class TokenEncoder:
    """Vectors of tokens from one layer of a model. Texts are cut to the model's limit.

    A special token has a vector, but no weight.
    """

    def __init__(self, folder: Path, *, layer: int, device: str, dtype: str) -> None:
        self._model = models.encoder(folder, device=device, dtype=dtype)
        _leave_out_layers(self._model, layer)
        self._tokenizer = models.tokenizer(folder)
        if not self._tokenizer.is_fast:
            # The others do not say which tokens are theirs, nor what they cut.
            raise MetricError(f"{folder} has no tokenizer.json, which is needed here")
        self.device = next(self._model.parameters()).device
        self.limit = _limit(self._model, self._tokenizer)
        self._start = " " if _spaces_count(self._tokenizer) else ""
        self.idf = np.ones(len(self._tokenizer), np.float32)

    def rows(self, texts: Sequence[str]) -> dict[str, Row]:
        """Texts in tokens, without the white space around them."""
        encoded = self._tokenizer(
            [self._start + text.strip() for text in texts],
            truncation=True,
            max_length=self.limit,
            return_special_tokens_mask=True,
        )
        columns = encoded["input_ids"], encoded["special_tokens_mask"]
        cut = [bool(one.overflowing) for one in encoded.encodings]
        rows = map(Row, *columns, cut)
        return dict(zip(texts, rows, strict=True))

    def embed(self, rows: Sequence[Row], meter: Meter) -> torch.Tensor:
        """A vector of length 1 for each token, one text behind the other, and a zero.

        float32, (tokens + 1, width).
        """
        import torch

        lengths = [len(row.ids) for row in rows]
        starts = np.cumsum([0, *lengths])
        width = self._model.config.hidden_size
        found = torch.zeros(int(starts[-1]) + 1, width, device=self.device)

        def work(batch: list[int], budget: int) -> None:
            ids, real = batches.pad([rows[k].ids for k in batch], 0)
            states = self._model(
                input_ids=batches.to(ids, self.device),
                attention_mask=batches.to(real, self.device).long(),
            ).last_hidden_state
            there = batches.to(np.flatnonzero(real), self.device)
            places = np.concatenate([np.arange(*starts[[k, k + 1]]) for k in batch])
            vectors = states.flatten(0, 1)[there].float()
            found[batches.to(places, self.device)] = torch.nn.functional.normalize(
                vectors, dim=-1
            )
            meter(1)

        batches.run(lengths, BUDGET, work)
        return found

    def weights(self, rows: Sequence[Row]) -> torch.Tensor:
        """Of the tokens in the same order: idf, 0 for special ones, and a zero."""
        ids = np.array([i for row in rows for i in row.ids], np.int64)
        added = np.array([i for row in rows for i in row.added], np.float32)
        weights = np.append(self.idf[ids] * (1 - added), np.float32(0))
        return batches.to(weights, self.device)

    def weigh(self, file: Path) -> None:
        """From now on a token's weight tells how few of a file's texts have it.

        idf = ln((N + 1) / (n + 1)), if n of N texts have the token; in [0, inf).

        Raises:
            MetricError: If the file cannot be read, or holds no text.
        """
        found, n = np.zeros(len(self.idf)), 0
        texts = _texts(file)
        while slab := list(itertools.islice(texts, LINES)):
            rows = self.rows(slab)
            for text in slab:
                found[list(set(rows[text].ids))] += 1
            n += len(slab)
        if not n:
            raise MetricError(f"idf: there is no text in {file}")
        self.idf = np.log((n + 1) / (found + 1)).astype(np.float32)


def load(
    model: str, *, layer: int, idf: str, device: str, dtype: str
) -> tuple[TokenEncoder, dict[str, str]]:
    """An encoder, and what of it goes into a signature.

    Raises:
        MetricError: If there is no such model, layer or file.
    """
    folder, device = models.find(model), models.device(device)
    layer = _numbered(layer, models.config(folder))
    encoder = TokenEncoder(folder, layer=layer, device=device, dtype=dtype)
    contents = {"model": models.content_hash(folder), "layer": str(layer)}
    contents["idf"] = "none"
    if idf:
        file = Path(idf).expanduser()
        encoder.weigh(file)
        contents["idf"] = models.hash_of(file)
    return encoder, contents


def _numbered(layer: int, config: Any) -> int:
    """A layer by its number from 1."""
    n = config.num_hidden_layers
    if layer == 0:
        return USUAL_LAYERS.get((config.model_type, n), n)
    if not 1 <= abs(layer) <= n:
        raise MetricError(f"layer={layer}: the model has {n} layers, -1 is the last")
    return layer if layer > 0 else n + 1 + layer


def _leave_out_layers(model: Any, layers: int) -> None:
    """Keep the first ones, so that what the model gives comes from the last of these.

    Nobody pays for the others. A norm behind the last layer stays behind it, as in
    BERTScore's released code; hidden states of the whole model lack it.
    """
    from torch.nn import ModuleList

    n = model.config.num_hidden_layers
    if layers == n:
        return
    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, ModuleList) and len(child) == n:
                setattr(module, name, child[:layers])
                model.config.num_hidden_layers = layers
                return
    kind = model.config.model_type
    raise MetricError(f"layer: of {kind} models only the last can be had: use -1")


def _limit(model: Any, tokenizer: Any) -> int:
    """How many tokens the model takes, special ones included."""
    config = model.config
    room = getattr(config, "max_position_embeddings", None) or _embeddings.MAX_TOKENS
    embeddings = getattr(model, "embeddings", None)
    positions = getattr(embeddings, "position_embeddings", None)
    padding = getattr(positions, "padding_idx", None)
    if padding is not None:  # RoBERTa counts positions from behind that of padding
        room -= padding + 1
    return min(room, tokenizer.model_max_length)


def _spaces_count(tokenizer: Any) -> bool:
    """Whether a word behind a space is another token, as it is for RoBERTa and GPT-2.

    Without one the first word would be like no other: it gets one, as in BERTScore's
    released code.
    """
    from tokenizers.pre_tokenizers import ByteLevel

    return isinstance(tokenizer.backend_tokenizer.pre_tokenizer, ByteLevel)


def _texts(file: Path) -> Iterator[str]:
    try:
        with file.open(encoding="utf-8") as lines:
            yield from filter(None, map(str.strip, lines))
    except OSError as error:
        raise MetricError(f"idf: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise MetricError(f"idf: {file} is not UTF-8") from None
