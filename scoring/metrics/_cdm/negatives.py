"""Segments that are rewritten by a model made worse than it is.

With an amateur p_a and an expert p_e that fill a gap in the context c,

    log p_n(s_t | s_<t, c) = (1 + gamma) log p_a(s_t | s_<t, c)
                             - gamma log p_e(s_t | s_<t, c) - log Z

is the degraded distribution: log p_a - gamma m with m = log p_e - log p_a (Lu et al.
2024, eq. 4, algorithm 1). gamma 0 is the amateur itself.

Where both models give a token next to nothing, m is noise, and the larger gamma the
more of p_n lies there. `top_p` below 1 keeps p_n to the fewest tokens that have that
share of the amateur's probability together, before Z is taken: what is written is then
something that the amateur might have written. 1 is the paper's formula. Temperature T
divides log p_n. Special tokens are never written, and no segment is empty.

Drawn by the Gumbel-max trick: the largest of log p_n plus noise, which comes from a
generator of each document alone. So a document gets the same segment in any batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from scoring.metrics._cdm import contrast
from scoring.metrics._engine import backbones, batches
from scoring.metrics._engine import models as _models
from scoring.metrics._engine.backbones import T5, Pegasus
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.likelihood import Ids, Pair

FIRST_LOOK = 512  # likeliest tokens, which usually have the share of top_p
TINY = 1e-30  # noise is never without bounds
BUDGET = {"cpu": 8192}  # source tokens of a batch
BUDGET_OF_OTHERS = 65536


class Sampling(NamedTuple):
    """How segments are drawn."""

    gamma: float
    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 48


class Filled(NamedTuple):
    """What was written into a gap."""

    text: str
    finished: bool  # false: it was cut at max_new_tokens


class Filler:
    """How a family of models is asked to fill a gap, and how it says that it is done.

    PEGASUS ends the filling with its end token, T5 with the next sentinel. BART writes
    on to the end of the text, and does not say where the filling ends.
    """

    def __init__(self, folder: Path) -> None:
        """Raise MetricError where the family cannot do this."""
        self.backbone = backbone = backbones.load(folder)
        config = _models.config(folder)
        eos = config.eos_token_id
        self.pad: int = config.pad_token_id
        self.start: int = config.decoder_start_token_id
        self.lead: Ids = ()  # what the decoder is led through
        self.stops: Ids = (eos,)  # the first of them closes a filling
        if isinstance(backbone, T5):
            (after,) = backbone.ids(["<extra_id_1>"], end=False)["<extra_id_1>"]
            self.lead, self.stops = (backbone.gap,), (after, eos)
        elif not isinstance(backbone, Pegasus):
            raise MetricError(
                f"{folder.name} is a model of the family {config.model_type!r}, which"
                " does not mark where its filling ends: choose a PEGASUS or T5 model"
            )
        self.limit: int | None = getattr(config, "max_position_embeddings", None)
        self.forbidden = sorted(backbone.special - set(self.stops))

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each."""
        found = self.backbone.ids(texts, end=False)
        return [len(found[text]) for text in texts]

    def source(self, before: str, after: str) -> str:
        return f"{before}{self.backbone.mask}{after}"

    def pairs(self, asked: Sequence[tuple[str, str]]) -> list[Pair]:
        """Sources with a gap, and the segments in them, closed."""
        sources = self.backbone.ids((source for source, _ in asked), end=True)
        targets = self.backbone.ids((target for _, target in asked), end=False)
        return [
            Pair(
                sources[source],
                (*self.lead, *targets[target], self.stops[0]),
                first=len(self.lead),
            )
            for source, target in asked
        ]

    def said(self, ids: Sequence[int]) -> str:
        """Ids as text, without space around it."""
        return self.backbone.text(ids).strip()

    def written(self, text: str) -> str:
        """The text as its tokens say it: what they cannot say gives nobody away."""
        return self.said(self.backbone.ids([text], end=False)[text])


class Infillers(NamedTuple):
    """Two models of one family."""

    amateur: Any
    expert: Any
    filler: Filler


def load(amateur: Path, expert: Path, *, device: str) -> Infillers:
    """Load two models that fill gaps, in float32.

    Raises:
        MetricError: If they are no pair: one is missing, they are the same, their
            tokenizers differ, or their family cannot do this.
    """
    check(amateur, expert)
    models = [
        _models.seq2seq(folder, device=device, dtype="float32")
        for folder in (amateur, expert)
    ]
    return Infillers(models[0], models[1], Filler(amateur))


def check(amateur: Path, expert: Path) -> None:
    """Raise MetricError where two folders are no pair."""
    if _models.content_hash(amateur) == _models.content_hash(expert):
        raise MetricError(
            "expert and amateur are the same model: choose two different ones"
        )
    contrast.check_tokenizers(expert, amateur)


class Degraded(LogitsProcessor):
    """Turns the amateur's logits into log p_n, normalised; (rows, tokens).

    The expert reads along with a cache of its own, only rows that are not finished.
    """

    def __init__(
        self,
        infillers: Infillers,
        source: torch.Tensor,
        mask: torch.Tensor,
        sampling: Sampling,
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        filler = infillers.filler
        self._filler, self._sampling, self._alive = filler, sampling, alive
        self._going = torch.arange(len(source), device=source.device)
        # Without a part in it the expert is not asked.
        self._expert = (
            _Reading(infillers.expert, source, mask) if sampling.gamma else None
        )
        self._first = 1 + len(filler.lead)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self._alive()
        self._leave_out_finished(input_ids)
        rows = self._going
        degraded = self._degraded(input_ids[rows], scores[rows])
        found = torch.full_like(scores, -torch.inf, dtype=torch.float32)
        found[rows, : degraded.shape[1]] = degraded
        return found

    def _degraded(self, ids: Any, scores: Any) -> Any:
        gamma = self._sampling.gamma
        # Of some published models the output is wider than the tokenizer.
        width = self._filler.backbone.vocabulary
        amateur = scores[:, :width].float().log_softmax(-1)
        found = amateur
        if self._expert is not None:
            expert = self._expert(ids)[:, :width].log_softmax(-1)
            found = (1 + gamma) * amateur - gamma * expert
        allowed = self._allowed(amateur, is_first=ids.shape[1] == self._first)
        found = (found / self._sampling.temperature).masked_fill(~allowed, -torch.inf)
        return found.log_softmax(-1)

    def _allowed(self, amateur: Any, *, is_first: bool) -> Any:
        """Tokens that may be written, (rows, tokens)."""
        filler = self._filler
        never = [*filler.forbidden, *(filler.stops if is_first else ())]
        places = torch.tensor(never, device=amateur.device)
        logs = amateur.index_fill(-1, places, -torch.inf).log_softmax(-1)
        return (logs > -torch.inf) & (logs >= _least(logs, self._sampling.top_p))

    def _leave_out_finished(self, input_ids: Any) -> None:
        if input_ids.shape[1] <= self._first:
            return
        last = input_ids[self._going, -1]
        ends = torch.tensor([*self._filler.stops, self._filler.pad], device=last.device)
        going = ~torch.isin(last, ends)
        if going.all():
            return
        self._going = self._going[going]
        if self._expert is not None:
            self._expert.keep(going.nonzero()[:, 0])


class Drawn(LogitsProcessor):
    """Adds noise to log-probabilities; the largest is a draw from them."""

    def __init__(self, generators: Sequence[np.random.Generator]) -> None:
        self._generators = generators

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        going = (scores > -torch.inf).any(1).nonzero()[:, 0]
        width = scores.shape[1]
        # -log of it is Gumbel noise.
        noise = [
            self._generators[k].standard_exponential(width, np.float32)
            for k in going.tolist()
        ]
        if noise:
            drawn = torch.from_numpy(np.stack(noise)).clamp_(min=TINY)
            scores[going] -= drawn.to(scores.device).log_()
        return scores


class _Reading:
    """A model that reads what is written, one token after the other."""

    def __init__(self, model: Any, source: torch.Tensor, mask: torch.Tensor) -> None:
        self._model, self._mask = model, mask
        encoder = model.get_encoder()
        self._encoded = encoder(input_ids=source, attention_mask=mask).last_hidden_state
        self._cache: Any = None
        self._read = 0

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits of the next token, (rows, tokens)."""
        output = self._model(
            encoder_outputs=(self._encoded,),
            attention_mask=self._mask,
            decoder_input_ids=ids[:, self._read :],
            past_key_values=self._cache,
            use_cache=True,
        )
        self._cache, self._read = output.past_key_values, ids.shape[1]
        return output.logits[:, -1].float()

    def keep(self, rows: torch.Tensor) -> None:
        self._cache.batch_select_indices(rows)
        self._encoded, self._mask = self._encoded[rows], self._mask[rows]


def budget(device: Any) -> int:
    """Tokens of the sources of a batch."""
    return BUDGET.get(torch.device(device).type, BUDGET_OF_OTHERS)


def fill(
    infillers: Infillers,
    sources: Sequence[Ids],
    generators: Sequence[np.random.Generator],
    sampling: Sampling,
    alive: Callable[[], None] = lambda: None,
) -> list[Filled]:
    """Fill the gap in each source, all in one batch.

    Args:
        infillers: Who writes.
        sources: Token ids with one gap each.
        generators: One for each source, of which its chance comes.
        sampling: How.
        alive: Called at each token.
    """
    amateur, filler = infillers.amateur, infillers.filler
    ids, real = batches.pad(sources, filler.pad)
    source = torch.from_numpy(ids).to(amateur.device)
    mask = torch.from_numpy(real).to(amateur.device).long()
    opening = torch.tensor([(filler.start, *filler.lead)] * len(sources))
    amateur.generation_config = _plainly(filler, sampling)
    with torch.inference_mode():
        written = amateur.generate(
            input_ids=source,
            attention_mask=mask,
            decoder_input_ids=opening.to(amateur.device),
            logits_processor=LogitsProcessorList(
                [
                    Degraded(infillers, source, mask, sampling, alive),
                    Drawn(generators),
                ]
            ),
        )
    return [_filled(filler, row[opening.shape[1] :]) for row in written.tolist()]


def _plainly(filler: Filler, sampling: Sampling) -> GenerationConfig:
    """The largest at each step. Ignores generation settings in the model's folder."""
    return GenerationConfig(
        max_new_tokens=sampling.max_new_tokens,
        do_sample=False,
        num_beams=1,
        eos_token_id=list(filler.stops),
        pad_token_id=filler.pad,
        decoder_start_token_id=filler.start,
    )


def _filled(filler: Filler, ids: Sequence[int]) -> Filled:
    ends = [k for k, token in enumerate(ids) if token in filler.stops]
    return Filled(filler.said(ids[: ends[0]] if ends else ids), bool(ends))


def _least(logs: torch.Tensor, top_p: float) -> torch.Tensor:
    """Log-probability of the last token that is needed for a share of top_p, (rows, 1).

    -inf for a share of 1.
    """
    if top_p >= 1:
        return torch.full_like(logs[:, :1], -torch.inf)
    # Sorting everything would take longer than both models do.
    largest = logs.topk(min(FIRST_LOOK, logs.shape[1])).values
    least = _reached(largest, top_p)
    short = (largest.exp().sum(-1) < top_p).nonzero()[:, 0]
    if len(short):
        least[short] = _reached(logs[short].sort(descending=True).values, top_p)
    return least


def _reached(largest: torch.Tensor, top_p: float) -> torch.Tensor:
    """The first of the values, (rows, falling), with which they have that share."""
    before = largest.exp().cumsum(-1) < top_p
    place = before.sum(-1, keepdim=True).clamp(max=largest.shape[1] - 1)
    return largest.gather(-1, place)
