"""Perplexity under a model behind an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.endpoints.text_requests import ScoredText
from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.rows import by_slabs

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine


class EndpointPerplexity:
    """A perplexity whose tokens are those of a server."""

    def __init__(
        self, signature: str, engine: Engine, *, generation_only: bool
    ) -> None:
        self.signature, self.engine = signature, engine
        self._generation_only = generation_only

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts.

        Raises:
            MetricError: If the key was refused. All calls until then were kept.
        """
        found = by_slabs("nll", examples, progress, self._slab, size=SLAB)
        return found._replace(notes=self.engine.notes)

    def _slab(self, examples: Sequence[Example], meter: Meter) -> list[float | str]:
        """For each text its score, or why there is none."""
        only = self._generation_only
        given_to = [given(one, generation_only=only) for one in examples]
        asked = [one for one in given_to if isinstance(one, ScoredText)]
        meter.begin(texts=len(examples), work=self.engine.work(asked))
        logs = self.engine.mean_logprobs(asked, meter)
        meter.end()
        values = dict(zip(asked, logs, strict=True))
        return [
            one
            if isinstance(one, str)
            else self.engine.reason(one) or -float(values[one])
            for one in given_to
        ]


def given(example: Example, *, generation_only: bool) -> ScoredText | str:
    """What is asked about a text, or why nothing is."""
    if not generation_only:
        return ScoredText(example.text)
    if not example.text.startswith(example.prefix):
        return "the text does not start with its prefix"
    return ScoredText(example.text[len(example.prefix) :], example.prefix)
