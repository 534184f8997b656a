"""Chooses an expert and an amateur by their loss on held-out human texts.

CDM assumes that the expert predicts human text better than the amateur, E(p_small) <
E(p_large) (Lu et al. 2024, eq. 2), and gains nothing from two models that predict it
alike. So of all pairs of one family, the one whose losses are furthest apart is chosen:

    loss = - sum log p(token) / tokens, in nats, over the texts that both can read

Neither model may have been trained on the texts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.metrics._cdm import contrast
from scoring.metrics._cdm.contrast import Given
from scoring.metrics._engine import models
from scoring.metrics._engine.base import Example, MetricError
from scoring.metrics._engine.batches import Meter


class Measured(NamedTuple):
    """What one model makes of the texts."""

    model: str
    nats: np.ndarray  # lost on each text, (texts,); NaN where it cannot be read
    tokens: np.ndarray  # of each text that are scored, (texts,)


class Pair(NamedTuple):
    """Two models of one family; losses are in nats per token."""

    expert: str
    amateur: str
    expert_loss: float
    amateur_loss: float
    texts: int  # that both could read

    @property
    def gap(self) -> float:
        return self.amateur_loss - self.expert_loss


def measure(
    model: str,
    examples: Sequence[Example],
    *,
    context: str = "auto",
    dtype: str = "float32",
    device: str = "cpu",
) -> Measured:
    """The loss of a model on each text, given what `context` says.

    Raises:
        MetricError: If the model is missing, or is not of a kind that CDM takes.
    """
    folder = models.find(model)
    asker = contrast.asker_of(folder)
    engine = contrast.engine_of(folder, dtype=dtype, device=device)
    given = {k: contrast.given_to(one, context) for k, one in enumerate(examples)}
    read = {
        k: o for k, o in given.items() if isinstance(o, Given) and not asker.reason(o)
    }
    asked = dict(zip(read, asker(list(read.values())), strict=True))
    fine = {k: ids for k, ids in asked.items() if engine.reason(ids) is None}
    logs = engine.logprobs(list(fine.values()), Meter(None))
    nats, tokens = np.full((2, len(examples)), np.nan)
    for k, of_text in zip(fine, logs, strict=True):
        nats[k], tokens[k] = -of_text.sum(), len(of_text)
    return Measured(model, nats, tokens)


def pairs(found: Sequence[Measured]) -> list[Pair]:
    """All pairs of one family, those with the largest gap first: the first is chosen.

    Models with the same loss make no pair, nor do those that can read no text both.
    """
    compared = (
        _compare(one, other)
        for one, other in itertools.combinations(found, 2)
        if _alike(one.model, other.model)
    )
    there = [pair for pair in compared if pair is not None and pair.gap > 0]
    return sorted(there, key=lambda pair: (-pair.gap, pair.expert, pair.amateur))


def _compare(one: Measured, other: Measured) -> Pair | None:
    both = np.isfinite(one.nats) & np.isfinite(other.nats)
    if not both.any():
        return None
    losses = [float(m.nats[both].sum() / m.tokens[both].sum()) for m in (one, other)]
    (better, low), (worse, high) = sorted(
        zip((one.model, other.model), losses, strict=True), key=lambda pair: pair[1]
    )
    return Pair(better, worse, low, high, int(both.sum()))


def _alike(one: str, other: str) -> bool:
    """Whether the two are of one family, as the metric demands."""
    folders = [models.find(name) for name in (one, other)]
    if len({models.config(folder).is_encoder_decoder for folder in folders}) > 1:
        return False
    try:
        contrast.check_tokenizers(*folders)
    except MetricError:
        return False
    return True
