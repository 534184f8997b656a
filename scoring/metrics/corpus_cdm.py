"""CDM of a system: how much likelier an expert finds its texts than an amateur.

    E(p) ~ (1/n) sum_i [ log p_e(s_i) - log p_a(s_i) ],  in nats per text, (-inf, inf),

the first-order approximation of a system's quality (Lu et al. 2024, eq. 3) with the
system's n texts as samples of p: the mean of the *summed* contrast m of the metric cdm.
It grows with the length of the texts, so compare systems whose texts have similar
lengths or answer the same prompts. Each text is scored alone, prefix included, without
any context. Higher is better.

If any text cannot be scored, because it is empty or longer than either model's limit,
the system has no score, and the reason says why: a mean without that text would
describe a different set of texts.

A note warns you if the expert does not have the lower loss on the texts in `held_out`.
Without held-out text the sign gives a hint: below 0, the amateur finds the texts
likelier.

Raises MetricError at loading where the two models do not share a tokenizer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial

import numpy as np

from scoring.metrics._cdm import contrast as _contrast
from scoring.metrics._cdm import held_out as _held_out
from scoring.metrics._cdm.contrast import Contrast, Steps
from scoring.metrics._engine import models
from scoring.metrics._engine.base import (
    Example,
    OneNumber,
    Output,
    SystemMetric,
    SystemScorer,
)
from scoring.metrics._engine.batches import SLAB


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number or the notes on it."""

    expert: str = _contrast.expert_option()
    amateur: str = _contrast.amateur_option()
    held_out: str = _held_out.held_out_option()
    dtype: str = models.dtype_option()


class CorpusCDM(SystemMetric):
    """How much likelier a better model finds a system's texts than a worse one."""

    title = "CDM of each system"
    short = "CDM"
    source = "Lu et al. (2024), eq. 3"
    link = "https://arxiv.org/abs/2306.11879"
    Options = Options

    @property
    def outputs(self) -> tuple[Output, ...]:
        unit = "nats per text, (-inf, inf)"
        return (Output("momentum", "CDM, mean of sums", unit, True),)

    def check(self) -> None:
        _contrast.check_named(self.options.expert, self.options.amateur)

    def load(self, device: str = "cpu") -> SystemScorer:
        """Load both models, and try them on held-out text where there is some.

        Raises:
            MetricError: If a model is missing, the two do not belong together, or a
            file cannot be read.
        """
        self.check()
        options, device = self.options, models.device(device)
        contrast = _contrast.load(
            options.expert,
            options.amateur,
            context="none",
            dtype=options.dtype,
            device=device,
        )
        held_out = options.held_out
        notes = _held_out.on_held_out(contrast, held_out) if held_out else ()
        signature = self.signature(
            **_contrast.contents(options.expert, options.amateur),
            held_out=_held_out.content_hash(held_out),
        )
        return OneNumber(signature, partial(momentum, contrast), notes)


def momentum(
    contrast: Contrast,
    texts: Sequence[str],
    corpus: Sequence[str],
    rng: np.random.Generator,
) -> dict[str, float | str | None]:
    """The mean of the texts' summed contrasts, or why there is none."""
    sums, reasons = [], []
    for start in range(0, len(texts), SLAB):
        slab = [Example(text) for text in texts[start : start + SLAB]]
        for one in contrast(slab):
            if isinstance(one, Steps):
                sums.append(one.momentum.sum())
            else:
                reasons.append(one)
    if reasons:
        counted = f"{len(reasons)} of {len(texts)} texts cannot be scored"
        return {"momentum": f"{counted}: {reasons[0]}"}
    return {"momentum": float(np.mean(sums)) if sums else "there is no text"}
