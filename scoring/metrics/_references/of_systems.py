"""Scores of all texts of a system together, as sacrebleu computes them of corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.metrics._engine.base import (
    Progress,
    SystemMetric,
    SystemScores,
    SystemTexts,
    silent,
)
from scoring.metrics._references import kinds, sacrebleu
from scoring.metrics._references.several import together

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

NO_TEXT = "there is no text"
STEP = 4  # texts between two signs of life
LEFT_OUT = "Texts without a reference are left out."
EMPTY = "Empty texts count, as texts without a word."


class CorpusMetric(SystemMetric):
    """One of sacrebleu's metrics, of all texts of a system together.

    Its options give the library's metric, and it has one output.
    """

    needs = frozenset({"references"})

    def check(self) -> None:
        self.options.check()

    def library(self) -> Metric:
        """The metric of sacrebleu that the options ask for."""
        found: Metric = self.options.library()
        return found

    def load(self, device: str = "cpu") -> CorpusScorer:
        """Set up sacrebleu.

        Raises:
            OptionError: If the options cannot be combined.
        """
        self.check()
        tokenize = getattr(self.options, "tokenize", "")
        signature = self.signature(**sacrebleu.contents(tokenize))
        kind = self.options.reference_kind
        return CorpusScorer(signature, self.outputs[0].key, self.library(), kind)


class CorpusScorer:
    """One number for all texts of a system, from sums over its texts."""

    def __init__(
        self, signature: str, key: str, metric: Metric, kind: str = kinds.PREWRITTEN
    ) -> None:
        self.signature, self._key, self._metric = signature, key, metric
        self._kind = kind

    def __call__(
        self,
        given: SystemTexts,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> SystemScores:
        """A value of shape (1,). Nothing here is random."""
        examples = [kinds.chosen(example, self._kind) for example in given.examples]
        found = [together(example) for example in examples]
        pairs = [one for one in found if not isinstance(one, str)]
        details: dict[str, object] = {"compared": len(pairs)}
        if not pairs:
            why = Counter(one for one in found if isinstance(one, str))
            reason = why.most_common(1)[0][0] if why else NO_TEXT
            reason = kinds.reason(reason, self._kind)
            missing = {self._key: np.array([np.nan])}
            return SystemScores(missing, {self._key: reason}, details)
        score = self._score(pairs, progress or silent)
        notes = (LEFT_OUT,) if len(pairs) < len(found) else ()
        if empty := sum(not text for text, _ in pairs):
            notes, details["empty"] = (*notes, EMPTY), empty
        return SystemScores({self._key: np.array([score])}, {}, details, notes)

    def _score(
        self, pairs: Sequence[tuple[str, list[str]]], progress: Progress
    ) -> float:
        """What `corpus_score` does, in steps: TER may take seconds for one text."""
        counted: list[Any] = []
        for start in range(0, len(pairs), STEP):
            part = pairs[start : start + STEP]
            # A list for each place of a reference; texts with fewer have None there.
            places = zip_longest(*(references for _, references in part))
            counted += self._metric._extract_corpus_statistics(
                [text for text, _ in part], [list(one) for one in places]
            )
            progress(len(part))
        return float(self._metric._aggregate_and_compute(counted).score)
