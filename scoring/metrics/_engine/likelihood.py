"""Mean log-probabilities of token sequences under language models. The engine.

Every likelihood metric goes through here. Results are float64 and do not depend on the
order of the texts or on how they were batched, up to rounding (1e-5 in float32).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.metrics._engine import batches
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.output_layer import (
    Asked,
    Gathered,
    Head,
    Row,
    flattened,
    plain_head,
)

if TYPE_CHECKING:
    import torch

Ids = tuple[int, ...]
Done = Callable[[int], None]  # called with the number of tokens worked through

CPU_BUDGET, GPU_BUDGET = 4096, 24576  # tokens in a batch, padding included


class Pair(NamedTuple):
    """`target[first:last]` is scored, given `source` and the target before it."""

    source: Ids
    target: Ids
    first: int = 0
    last: int | None = None

    @property
    def scored(self) -> Ids:
        return self.target[self.first : self.last]


class Text(NamedTuple):
    """`ids[first:]` is scored, given the ids before it; `first` is 1 at least."""

    ids: Ids
    first: int = 1


class _Engine:
    """What both kinds of model share: limits, budgets and gathering."""

    def __init__(self, model: Any, budget: int | None) -> None:
        self.model = model
        self.device: torch.device = model.device
        on_cpu = self.device.type == "cpu"
        self.budget = budget or (CPU_BUDGET if on_cpu else GPU_BUDGET)
        # None: the positions are relative, any length is possible.
        self.limit: int | None = getattr(model.config, "max_position_embeddings", None)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return batches.to(array, self.device)

    def _ask(self, rows: Sequence[Row], states: torch.Tensor) -> Asked:
        """Take of states (rows, width, ...) those that someone asks for."""
        flat, index, tokens, results = flattened(rows, states.shape[1])
        chosen = states.flatten(0, 1)[self._tensor(flat)]
        return Asked(chosen, index, tokens, results)

    def _too_long(self, n_tokens: int, what: str) -> str | None:
        if self.limit is None or n_tokens <= self.limit:
            return None
        return f"{what} has {n_tokens} tokens, the model takes {self.limit}"


class Seq2Seq(_Engine):
    """Scores targets under an encoder-decoder model.

    Each distinct source is encoded once; targets of one source that begin alike up to
    their last token share one pass of the decoder. So all one-token targets of a source
    cost a single decoder step together.
    """

    def __init__(self, model: Any, head: Head, budget: int | None = None) -> None:
        super().__init__(model, budget)
        self.head = head
        self.pad: int = model.config.pad_token_id
        self.start: int = model.config.decoder_start_token_id

    def reason(self, pair: Pair) -> str | None:
        """Why the pair cannot be scored, if so. Nothing is ever cut to fit."""
        if not pair.scored:
            return "there is no token to score"
        return self._too_long(len(pair.source), "the input") or self._too_long(
            len(pair.target), "the text to predict"
        )

    def work(self, pairs: Sequence[Pair]) -> int:
        """How many tokens `mean_logprobs` will work through."""
        sources = self._grouped(list(dict.fromkeys(pairs)))
        return sum(map(_work, sources.items()))

    def mean_logprobs(
        self, pairs: Sequence[Pair], done: Done | None = None
    ) -> np.ndarray:
        """Mean log-probability of each pair's scored tokens, in nats: (n,), float64.

        NaN for a pair that has a `reason`.
        """
        return means(self.logprobs(pairs, done))

    def logprobs(
        self, pairs: Sequence[Pair], done: Done | None = None
    ) -> list[np.ndarray]:
        """Log-probability of each pair's scored tokens, in nats: (tokens,), float64.

        Empty for a pair that has a `reason`.
        """
        import torch

        number = {pair: index for index, pair in enumerate(dict.fromkeys(pairs))}
        sources = list(self._grouped(list(number)).items())
        lengths = [len(source) for source, _ in sources]
        gathered = Gathered(len(number), self.head, self.device)

        def work(batch: list[int], budget: int) -> None:
            gathered.flush(least=self.head.rows)
            gathered.add(self._asked([sources[k] for k in batch], budget))
            if done is not None:
                done(sum(_work(sources[k]) for k in batch))

        with torch.inference_mode():
            batches.run(lengths, self.budget, work)
            values = gathered.values()
        return [values[number[pair]] for pair in pairs]

    def _grouped(self, pairs: Sequence[Pair]) -> dict[Ids, list[Row]]:
        """Distinct pairs as decoder passes under their sources."""
        found: dict[Ids, dict[Ids, list[int]]] = {}
        for index, pair in enumerate(pairs):
            if self.reason(pair) is None:
                inputs = (self.start, *pair.target[:-1])
                passes = found.setdefault(pair.source, {})
                passes.setdefault(inputs, []).append(index)
        return {
            source: [_row(inputs, pairs, indices) for inputs, indices in passes.items()]
            for source, passes in found.items()
        }

    def _asked(
        self, batch: Sequence[tuple[Ids, list[Row]]], budget: int
    ) -> list[Asked]:
        ids, real = batches.pad([source for source, _ in batch], self.pad)
        mask = self._tensor(real)
        encoded = self.model.get_encoder()(
            input_ids=self._tensor(ids), attention_mask=mask
        ).last_hidden_state
        rows = [(k, row) for k, (_, rows) in enumerate(batch) for row in rows]
        # Attending to the source takes memory of the source's length in every row.
        lengths = [len(row.inputs) + ids.shape[1] for _, row in rows]
        found = []
        for part in batches.plan(lengths, budget):
            sources = self._tensor(np.array([rows[k][0] for k in part]))
            decoded = [rows[k][1] for k in part]
            # Padding stands behind the real tokens, which cannot look ahead: no mask.
            inputs = batches.pad([row.inputs for row in decoded], self.pad)[0]
            hidden = self.model.get_decoder()(
                input_ids=self._tensor(inputs),
                encoder_hidden_states=encoded[sources],
                encoder_attention_mask=mask[sources],
                use_cache=False,
            ).last_hidden_state
            found.append(self._ask(decoded, hidden))
        return found


class Causal(_Engine):
    """Scores texts under a decoder-only model.

    Texts that differ only in their last token share one pass: asking for several next
    tokens of a text costs no more than asking for one.
    """

    def __init__(
        self, model: Any, head: Head | None, budget: int | None = None
    ) -> None:
        """`head` None: its output layer is not a plain one, the model's own is used."""
        super().__init__(model, budget)
        self.head = head

    def reason(self, text: Text) -> str | None:
        """Why the text cannot be scored, if so. Nothing is ever cut to fit."""
        if len(text.ids) <= text.first:
            return "there is no token to score"
        return self._too_long(len(text.ids) - 1, "the text")

    def work(self, texts: Sequence[Text]) -> int:
        """How many tokens `mean_logprobs` will work through."""
        distinct = list(dict.fromkeys(texts))
        return sum(len(row.inputs) + 1 for row in self._grouped(distinct))

    def mean_logprobs(
        self, texts: Sequence[Text], done: Done | None = None
    ) -> np.ndarray:
        """Mean log-probability of each text's scored tokens, in nats: (n,), float64.

        NaN for a text that has a `reason`.
        """
        return means(self.logprobs(texts, done))

    def logprobs(
        self, texts: Sequence[Text], done: Done | None = None
    ) -> list[np.ndarray]:
        """Log-probability of each text's scored tokens, in nats: (tokens,), float64.

        Empty for a text that has a `reason`.
        """
        import torch

        number = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        rows = self._grouped(list(number))
        gathered = Gathered(len(number), self.head, self.device)

        def work(batch: list[int], budget: int) -> None:
            part = [rows[k] for k in batch]
            self._score(part, gathered)
            if done is not None:
                done(sum(len(row.inputs) + 1 for row in part))

        with torch.inference_mode():
            batches.run([len(row.inputs) for row in rows], self.budget, work)
            values = gathered.values()
        return [values[number[text]] for text in texts]

    def _grouped(self, texts: Sequence[Text]) -> list[Row]:
        """Distinct texts as passes of the model."""
        passes: dict[Ids, list[int]] = {}
        for index, text in enumerate(texts):
            if self.reason(text) is None:
                passes.setdefault(text.ids[:-1], []).append(index)
        pairs = [Pair((), text.ids[1:], text.first - 1) for text in texts]
        return [_row(inputs, pairs, indices) for inputs, indices in passes.items()]

    def _score(self, rows: Sequence[Row], gathered: Gathered) -> None:
        # Padding stands behind the real tokens, which cannot look ahead: no mask.
        inputs = self._tensor(batches.pad([row.inputs for row in rows], 0)[0])
        if self.head is not None:
            gathered.flush(least=self.head.rows)
            output = self.model.base_model(input_ids=inputs, use_cache=False)
            gathered.add([self._ask(rows, output.last_hidden_state)])
            return
        logits = self.model(input_ids=inputs, use_cache=False).logits
        asked = self._ask(rows, logits)
        states, index = asked.states.float(), self._tensor(asked.places)
        chosen = states[index, self._tensor(asked.tokens)]
        gathered.add_values(asked.results, chosen - states.logsumexp(-1)[index])


def means(values: Sequence[np.ndarray]) -> np.ndarray:
    """Mean of each, float64, (n,); NaN where there are none."""
    return np.array([one.mean() if len(one) else np.nan for one in values], dtype=float)


def seq2seq(model: Any, budget: int | None = None) -> Seq2Seq:
    """Engine for an encoder-decoder model.

    Raises:
        MetricError: If its output layer is more than a linear one.
    """
    import torch

    ids = torch.tensor([[1, 2, 3]], device=model.device)
    with torch.inference_mode():
        encoded = model.get_encoder()(input_ids=ids).last_hidden_state
        decoded = model.get_decoder()(
            input_ids=ids, encoder_hidden_states=encoded, use_cache=False
        )
        output = model(input_ids=ids, decoder_input_ids=ids, use_cache=False)
        head = plain_head(model, decoded.last_hidden_state, output.logits)
    if head is None:
        raise MetricError(
            f"{type(model).__name__} is not supported: its output layer is not linear"
        )
    return Seq2Seq(model, head, budget)


def causal(model: Any, budget: int | None = None) -> Causal:
    """Engine for a decoder-only model.

    Raises:
        MetricError: If a token changes the probabilities of one before it. BERT loads
            as a causal model, too, and would see what it is to predict.
    """
    import torch

    ids = torch.tensor([[1, 2, 3], [1, 2, 1]], device=model.device)
    with torch.inference_mode():
        states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
        logits = model(input_ids=ids, use_cache=False).logits
        head = plain_head(model, states, logits)
    before = logits[:, :2].float()
    if (before[0] - before[1]).abs().max() > 1e-3 * before.abs().max():
        raise MetricError(
            f"{type(model).__name__} reads texts in both directions: choose a causal "
            f"language model like GPT-2, or one that fills gaps (BART, PEGASUS, T5)"
        )
    return Causal(model, head, budget)


def _work(source: tuple[Ids, list[Row]]) -> int:
    return len(source[0]) + sum(len(row.inputs) for row in source[1])


def _row(inputs: Ids, pairs: Sequence[Pair], indices: Sequence[int]) -> Row:
    """One decoder pass that serves all pairs which share its inputs."""
    wanted = [
        (position, pairs[index].target[position], index)
        for index in indices
        for position in range(len(inputs))[pairs[index].first : pairs[index].last]
    ]
    positions = sorted({position for position, _, _ in wanted})
    place = {position: k for k, position in enumerate(positions)}
    return Row(inputs, tuple(positions), tuple((place[p], t, i) for p, t, i in wanted))
