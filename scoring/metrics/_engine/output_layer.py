"""From hidden states to log-probabilities, without the table of all of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.metrics._engine import batches

if TYPE_CHECKING:
    import torch

# Blocks of the output layer that stay in a core's cache are what makes a large
# vocabulary cheap; an accelerator wants them large instead.
CPU_COLUMNS, CPU_ROWS = 2048, 512
GPU_COLUMNS, GPU_ROWS = 16384, 2048


class Row(NamedTuple):
    """One pass of the decoder: its inputs, and what is asked of it."""

    inputs: tuple[int, ...]
    positions: tuple[int, ...]  # of the inputs, without repetition
    # For each probability wanted: index into positions, token, index of the result.
    wanted: tuple[tuple[int, int, int], ...]


class Head:
    """The output layer: log-probabilities of tokens from hidden states.

    The full table of hidden states x vocabulary is never built: it is the memory peak
    of scoring, and leaving it in cache-sized blocks is several times faster.
    """

    def __init__(
        self,
        weight: torch.Tensor,
        bias: torch.Tensor | None = None,
        scale: float = 1.0,
    ) -> None:
        """`scale`: what the model multiplies the hidden states by before the layer."""
        on_cpu = weight.device.type == "cpu"
        self.weight = weight
        self.scale = scale
        # PEGASUS carries a bias of zeros: adding it would cost a pass over every block.
        self.bias = bias if bias is not None and bias.any() else None
        self.columns = CPU_COLUMNS if on_cpu else GPU_COLUMNS
        self.rows = CPU_ROWS if on_cpu else GPU_ROWS

    def logits(self, hidden: torch.Tensor) -> Any:
        return self._logits(hidden * self.scale, slice(None))

    def _logits(self, hidden: torch.Tensor, columns: slice) -> Any:
        found = (hidden @ self.weight[columns].T).float()
        return found if self.bias is None else found.add_(self.bias[columns])

    def log_probabilities(
        self, hidden: torch.Tensor, index: torch.Tensor, tokens: torch.Tensor
    ) -> torch.Tensor:
        """Compute log P(tokens[k] | hidden[index[k]]): float32, (k,); hidden (p, d)."""
        import torch

        hidden = hidden * self.scale
        found = torch.full((len(index),), torch.nan, device=hidden.device)
        for first in range(0, len(hidden), self.rows):
            rows = hidden[first : first + self.rows]
            here = (index >= first) & (index < first + len(rows))
            place = (index - first).clamp(0, len(rows) - 1)
            found = torch.where(here, self._log_shares(rows, place, tokens), found)
        return found

    def _log_shares(
        self, hidden: torch.Tensor, index: torch.Tensor, tokens: torch.Tensor
    ) -> torch.Tensor:
        """Token's logit less the log of the sum of e^logit, block by block: (k,).

        Both are of the same logits: in bfloat16, which rounds them, a token's own
        logit in float32 could exceed the sum, and its probability 1.
        """
        import torch

        shape = (len(hidden), 1)
        largest = torch.full(shape, -torch.inf, device=hidden.device)
        total = torch.zeros(shape, device=hidden.device)
        chosen = torch.zeros(len(tokens), device=hidden.device)
        for start in range(0, len(self.weight), self.columns):
            block = self._logits(hidden, slice(start, start + self.columns))
            column = tokens - start
            inside = (column >= 0) & (column < block.shape[1])
            logits = block[index, column.clamp(0, block.shape[1] - 1)]
            chosen = torch.where(inside, logits, chosen)
            new = torch.maximum(largest, block.amax(-1, keepdim=True))
            total *= torch.exp(largest - new)
            total += block.sub_(new).exp_().sum(-1, keepdim=True)
            largest = new
        return chosen - (largest + total.log()).squeeze(-1)[index]


def plain_head(model: Any, states: torch.Tensor, logits: torch.Tensor) -> Head | None:
    """The model's output layer, if all it does is linear.

    Some models scale or cap their logits behind it, and then it must not be used alone:
    so it is tried on `states` for which the model itself has given `logits`.
    """
    import torch

    layer = model.get_output_embeddings()
    bias = getattr(layer, "bias", None)
    extra = getattr(model, "final_logits_bias", None)
    if extra is not None:
        bias = extra[0] if bias is None else bias + extra[0]
    # A cap hardly shows on small logits.
    if getattr(model.config, "final_logit_softcapping", None):
        return None
    # T5 with tied embeddings.
    scaled = getattr(model.config, "scale_decoder_outputs", False)
    head = Head(layer.weight, bias, model.model_dim**-0.5 if scaled else 1.0)
    slack = max(1e-4, 4 * torch.finfo(layer.weight.dtype).eps) * logits.abs().max()
    off = (head.logits(states) - logits.float()).abs().max()
    return head if off <= slack else None


class Asked(NamedTuple):
    """Probabilities asked of states (p, d): of which, which token, for which result."""

    states: torch.Tensor
    places: np.ndarray
    tokens: np.ndarray
    results: np.ndarray


class Gathered:
    """Gathers log-probabilities on the device: fetched once, at the end.

    The output layer is the dearest part, and dear for few states at a time: every call
    reads all of it. So states wait here until there are enough.
    """

    def __init__(self, n: int, head: Head | None, device: torch.device) -> None:
        self._n, self._head, self._device = n, head, device
        self._waiting: list[Asked] = []
        self._results: list[np.ndarray] = []
        self._values: list[torch.Tensor] = []

    def add(self, asked: Sequence[Asked]) -> None:
        self._waiting += asked

    def add_values(self, results: np.ndarray, values: torch.Tensor) -> None:
        self._results.append(results)
        self._values.append(values)

    def flush(self, *, least: int) -> None:
        """Put what waits through the output layer, if it is that many states."""
        import torch

        sizes = [len(asked.states) for asked in self._waiting]
        if self._head is None or not sizes or sum(sizes) < least:
            return
        offsets = itertools.accumulate(sizes[:-1], initial=0)
        index = np.concatenate(
            [asked.places + k for asked, k in zip(self._waiting, offsets, strict=True)]
        )
        tokens = np.concatenate([asked.tokens for asked in self._waiting])
        values = self._head.log_probabilities(
            torch.cat([asked.states for asked in self._waiting]),
            batches.to(index, self._device),
            batches.to(tokens, self._device),
        )
        self.add_values(np.concatenate([one.results for one in self._waiting]), values)
        self._waiting.clear()

    def values(self) -> list[np.ndarray]:
        """Each result's values in the order of its tokens, float64, (tokens,) each."""
        import torch

        self.flush(least=1)
        if not self._values:
            return [np.empty(0)] * self._n
        results = np.concatenate(self._results)
        values = torch.cat(self._values).cpu().double().numpy()
        # Stable: the tokens of a result stand in one row, in their order.
        ordered = values[np.argsort(results, kind="stable")]
        ends = np.cumsum(np.bincount(results, minlength=self._n))
        return np.split(ordered, ends[:-1])


def flattened(
    rows: Sequence[Row], width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where in (rows x width) to look; per probability which of them, token, result.

    Only positions that someone asks for are looked at.
    """
    offsets = itertools.accumulate((len(row.positions) for row in rows), initial=0)
    flat = [k * width + p for k, row in enumerate(rows) for p in row.positions]
    wanted = [
        (offset + place, token, result)
        for offset, row in zip(offsets, rows, strict=False)
        for place, token, result in row.wanted
    ]
    index, tokens, results = np.array(wanted, dtype=np.int64).reshape(-1, 3).T
    return np.array(flat, dtype=np.int64), index.copy(), tokens.copy(), results.copy()
