"""Perplexity under a model that fills gaps: what is predicted from what."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from annotation import sentences
from scoring.metrics._engine.backbones import Backbone, Pattern
from scoring.metrics._engine.base import Example, Progress, Scores
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.likelihood import Pair, Seq2Seq
from scoring.metrics._engine.rows import by_slabs


def from_mask(example: Example, mask: str) -> list[Pattern]:
    """The whole text, from a gap and nothing else."""
    return [(mask, example.text)]


def leave_one_out(example: Example, mask: str) -> list[Pattern]:
    """Each sentence from the others, as CTRLEval's coherence does."""
    given = example.sentences or sentences.split(example.text)
    found = [sentence for sentence in given if sentence.strip()]
    return [
        (f"{' '.join(found[:j])} {mask} {' '.join(found[j + 1 :])}", sentence)
        for j, sentence in enumerate(found)
    ]


FORMS: dict[str, Callable[[Example, str], list[Pattern]]] = {
    "from_mask": from_mask,
    "leave_one_out": leave_one_out,
}


class GapScorer:
    """A loaded perplexity of an encoder-decoder model."""

    def __init__(
        self, signature: str, engine: Seq2Seq, backbone: Backbone, form: str
    ) -> None:
        self.signature = signature
        self.engine = engine
        self.backbone = backbone
        self._patterns = FORMS[form]

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        return by_slabs("nll", examples, progress, self._scored, size=SLAB)

    def _scored(self, examples: Sequence[Example], meter: Meter) -> list[float | str]:
        """For each text its number, or why there is none."""
        texts = self._pairs(examples)
        reasons = [
            self.backbone.reason(example.text) or self._reason(pairs)
            for example, pairs in zip(examples, texts, strict=True)
        ]
        asked = [
            pair
            for pairs, reason in zip(texts, reasons, strict=True)
            if reason is None
            for pair in pairs
        ]
        meter.begin(texts=len(examples), work=self.engine.work(asked))
        logs = iter(self.engine.logprobs(asked, meter))
        meter.end()
        return [
            reason or _nll(list(itertools.islice(logs, len(pairs))))
            for pairs, reason in zip(texts, reasons, strict=True)
        ]

    def _pairs(self, examples: Sequence[Example]) -> list[list[Pair]]:
        mask, known = self.backbone.mask, self.backbone.reason
        patterns = [
            [] if known(one.text) else self._patterns(one, mask) for one in examples
        ]
        flat = [pattern for one in patterns for pattern in one]
        # As in causal models, where no end token is scored either.
        pairs = iter(self.backbone.pairs(flat, end=False))
        return [list(itertools.islice(pairs, len(one))) for one in patterns]

    def _reason(self, pairs: Sequence[Pair]) -> str | None:
        if not pairs:
            return "there is no token to score"
        # One sentence less would be another number: all of them or none.
        return next(filter(None, map(self.engine.reason, pairs)), None)


def _nll(logs: Sequence[np.ndarray]) -> float | str:
    """Over all tokens: a long sentence counts for more than a short one."""
    value = -np.concatenate(logs).mean()
    if not np.isfinite(value):
        return "the model gives no finite probability"
    return float(value)
