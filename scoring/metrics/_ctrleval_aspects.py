"""The three aspects of CTRLEval: patterns for a text, and one number from their scores.

An aspect turns a text into patterns (source with a gap, target), and the patterns' mean
log-probabilities into evaluator scores s_j and weights w_j. The result is the mean of s
weighted by w (eq. 1). What cannot be scored raises `Undefined` with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from annotation import sentences
from scoring.metrics._backbones import Pattern
from scoring.metrics._base import Example
from scoring.metrics._ctrleval_tables import MASK, TEXT, Table
from scoring.metrics._likelihood import Pair


class Undefined(Exception):
    """This text has no score of this aspect; the message says why."""


class Evaluated(NamedTuple):
    """Scores and weights of the pattern evaluators of one text, (evaluators,) each."""

    s: np.ndarray
    w: np.ndarray


class Aspect(Protocol):
    """What the scorer needs of an aspect."""

    key: str
    end: bool  # whether the target's end token is scored

    def patterns(self, example: Example, mask: str) -> list[Pattern]: ...

    def evaluate(
        self,
        example: Example,
        pairs: Sequence[Pair],
        logs: np.ndarray,
        iwf: np.ndarray | None,
    ) -> Evaluated: ...


class _Weighted:
    """s_j is the mean log-probability, w_j the NISF of the target."""

    def evaluate(
        self,
        example: Example,
        pairs: Sequence[Pair],
        logs: np.ndarray,
        iwf: np.ndarray | None,
    ) -> Evaluated:
        """NISF: the largest inverse word frequency of the target's tokens (eq. 7)."""
        if iwf is None:
            return Evaluated(logs, np.full(len(pairs), np.nan))
        return Evaluated(logs, np.array([iwf[list(p.scored)].max() for p in pairs]))


class Coherence(_Weighted):
    """Each sentence from the others (eq. 2-8)."""

    key = "coherence"
    end = True

    def patterns(self, example: Example, mask: str) -> list[Pattern]:
        if not example.text.strip():
            raise Undefined("the text is empty")
        found = example.sentences or sentences.split(example.text)
        return [
            (f"{' '.join(found[:j])} {mask} {' '.join(found[j + 1 :])}", sentence)
            for j, sentence in enumerate(found)
        ]


class Consistency(_Weighted):
    """The text from its prefix, and the prefix from the text (eq. 9-11)."""

    key = "consistency"
    end = False

    def patterns(self, example: Example, mask: str) -> list[Pattern]:
        text, prefix = example.text, example.prefix
        if not text.strip():
            raise Undefined("the text is empty")
        if not prefix.strip():
            raise Undefined("there is no prefix")
        if not text.startswith(prefix):
            raise Undefined("the text does not start with its prefix")
        # Cut by characters, though that may be within a word, and with the space kept:
        # so the released code does, and people compare with its numbers.
        rest = text[len(prefix) :]
        if not rest.strip():
            raise Undefined("nothing follows the prefix")
        return [(f"{prefix} {mask}", rest), (f"{mask} {rest}", prefix)]


class Relevance:
    """Words for the label, filled into prompts about the text (eq. 12-17).

    P(v) = e^(mean log-probability) of a word v; of the words v(a') for all labels a'
    in one prompt, s_j = P(v(a)) / sum_a' P(v(a')) and w_j = sum_a' P(v(a')).
    """

    key = "attribute-relevance"
    end = False

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables

    def patterns(self, example: Example, mask: str) -> list[Pattern]:
        """By prompt, then row of words, then label."""
        if not example.text.strip():
            raise Undefined("the text is empty")
        table, _ = self._table(example.label)
        return [
            # The prompt's gap first: a text may hold the placeholder's characters.
            (prompt.replace(MASK, mask).replace(TEXT, example.text), word)
            for prompt in table.prompts
            for row in table.words
            for word in row
        ]

    def evaluate(
        self,
        example: Example,
        pairs: Sequence[Pair],
        logs: np.ndarray,
        iwf: np.ndarray | None,
    ) -> Evaluated:
        table, label = self._table(example.label)
        rows = logs.reshape(-1, len(table.labels))  # (evaluators, labels)
        # Shifted, because e^logs of improbable words may all be 0.
        p = np.exp(rows - rows.max(axis=1, keepdims=True))
        s = p[:, label] / p.sum(axis=1)
        return Evaluated(s, np.exp(rows).sum(axis=1))

    def _table(self, label: str) -> tuple[Table, int]:
        """The table that has words for the label, and the label's place in it."""
        for table in self.tables:
            if label in table.labels:
                return table, table.labels.index(label)
        known = ", ".join(label for table in self.tables for label in table.labels)
        raise Undefined(f"label {label!r} has no verbalizers; there are: {known}")


def aggregate(found: Evaluated, weighting: str) -> float:
    """One number from the evaluators' scores (Table 5).

    nisf: sum_j w_j s_j / sum_j w_j, and the plain mean if all weights are 0.
    """
    s, w = found
    if weighting == "max":
        return float(s.max())
    if weighting == "min":
        return float(s.min())
    if weighting == "mean" or w.sum() == 0:
        return float(s.mean())
    return float((w * s).sum() / w.sum())
