"""The three aspects of CTRLEval: patterns for a text, and one number from their scores.

An aspect turns a text into blanks (a text with a gap, what fills it), and the blanks'
log-probabilities into evaluator scores s_j and weights w_j. The result is the mean of s
weighted by w (eq. 1). What cannot be scored raises `Undefined` with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from annotation import sentences
from scoring.metrics._ctrleval import placeholders
from scoring.metrics._ctrleval.both_sides import Patterns, output_of
from scoring.metrics._ctrleval.patterns import Blank
from scoring.metrics._ctrleval.placeholders import MASK
from scoring.metrics._ctrleval.tables import Table
from scoring.metrics._engine.base import Example


class Undefined(Exception):
    """This text has no score of this aspect; the message says why."""


class Evaluated(NamedTuple):
    """Scores and weights of the pattern evaluators of one text, (evaluators,) each."""

    s: np.ndarray
    w: np.ndarray
    alone: np.ndarray = np.empty(0)  # subtracted to get s, if so


class Aspect(Protocol):
    """What the scorer needs of an aspect."""

    key: str
    end: bool  # whether the target's end token is scored
    by_rarity: bool  # whether the rarity of what fills the gap is the weight

    def blanks(self, example: Example) -> list[Blank]:
        """Everything that the model is asked about a text."""

    def evaluators(self, example: Example) -> list[Blank]:
        """Of these the one that stands for each evaluator, in their order."""

    def evaluate(
        self, example: Example, logs: np.ndarray, rarity: np.ndarray | None
    ) -> Evaluated:
        """Scores and weights from what `blanks` got, both (blanks,)."""


class _Weighted:
    """s_j is the log-probability, w_j the NISF of what fills the gap (eq. 7)."""

    by_rarity = True

    def blanks(self, example: Example) -> list[Blank]:
        raise NotImplementedError

    def evaluators(self, example: Example) -> list[Blank]:
        return self.blanks(example)

    def evaluate(
        self, example: Example, logs: np.ndarray, rarity: np.ndarray | None
    ) -> Evaluated:
        return Evaluated(logs, np.full(len(logs), np.nan) if rarity is None else rarity)


class Coherence(_Weighted):
    """Each sentence from the others (eq. 2-8)."""

    key = "coherence"
    end = True

    def blanks(self, example: Example) -> list[Blank]:
        if not example.text.strip():
            raise Undefined("the text is empty")
        found = example.sentences or sentences.split(example.text)
        return [
            Blank(f"{' '.join(found[:j])} ", f" {' '.join(found[j + 1 :])}", sentence)
            for j, sentence in enumerate(found)
        ]


class Consistency(_Weighted):
    """The text from its prefix, and the prefix from the text (eq. 9-11)."""

    key = "consistency"
    end = False

    def blanks(self, example: Example) -> list[Blank]:
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
        return [Blank(f"{prefix} ", "", rest), Blank("", f" {rest}", prefix)]


class Control(_Weighted):
    """A control by your own patterns: f with a gap, g that fills it."""

    end = False

    def __init__(self, name: str, table: Patterns) -> None:
        self.key = output_of(name)
        self.table = table

    def blanks(self, example: Example) -> list[Blank]:
        if not example.text.strip():
            raise Undefined("the text is empty")
        control = self.table.control
        given = placeholders.values(example, control)
        found = []
        for read, written in self.table.patterns:
            if why := placeholders.missing(read + written, given, control):
                raise Undefined(why)
            before, after = _around_gap(read, given)
            found.append(Blank(before, after, placeholders.filled(written, given)))
        return found


class Relevance:
    """Words for the label, filled into prompts about the text (eq. 12-17).

    P(v) = e^(log-probability) of a word v; of the words v(a') for all labels a' in one
    prompt, s_j = P(v(a)) / sum_a' P(v(a')) and w_j = sum_a' P(v(a')). The weights are
    divided by the largest of the text, which changes no weighted mean: as sums over
    tokens of a long text all of them would be 0, and the mean a plain one.

    A label of several attributes, "positive; sports", has the evaluators of them all.
    Then the weights of each attribute are divided by their sum, so that each counts the
    same in the weighted mean, however many evaluators it has.
    """

    key = "attribute_relevance"
    end = False
    by_rarity = False

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables

    def blanks(self, example: Example) -> list[Blank]:
        """By attribute, prompt, row of words, then label."""
        if not example.text.strip():
            raise Undefined("the text is empty")
        asked = self._asked(example.label)
        return [one for table, _ in asked for one in _questions(table, example)]

    def evaluators(self, example: Example) -> list[Blank]:
        """With the words for the text's own label."""
        if not example.text.strip():
            raise Undefined("the text is empty")
        return [
            one
            for table, label in self._asked(example.label)
            for one in _questions(table, example)[label :: len(table.labels)]
        ]

    def evaluate(
        self, example: Example, logs: np.ndarray, rarity: np.ndarray | None
    ) -> Evaluated:
        asked = self._asked(example.label)
        sizes = [table.n_evaluators * len(table.labels) for table, _ in asked]
        shares = np.split(logs, np.cumsum(sizes)[:-1])
        found = [
            _shares(own.reshape(-1, len(table.labels)), label)
            for (table, label), own in zip(asked, shares, strict=True)
        ]
        if len(found) == 1:
            return found[0]
        s = np.concatenate([one.s for one in found])
        return Evaluated(s, np.concatenate([one.w / one.w.sum() for one in found]))

    def _asked(self, label: str) -> list[tuple[Table, int]]:
        """The table with words for each attribute, and the attribute's place in it.

        Named controls that no table has words for, "keywords: boat", are left to other
        outputs.
        """
        if whole := self._place(label):
            return [whole]
        found, unknown = [], []
        for name, value in placeholders.attributes(label):
            if place := self._place(value):
                found.append(place)
            elif not name:
                unknown.append(value)
        if found and not unknown:
            return found
        known = ", ".join(label for table in self.tables for label in table.labels)
        said = unknown[0] if unknown else label
        raise Undefined(f"label {said!r} has no verbalizers; there are: {known}")

    def _place(self, label: str) -> tuple[Table, int] | None:
        for table in self.tables:
            if (place := table.place(label)) is not None:
                return table, place
        return None


def _questions(table: Table, example: Example) -> list[Blank]:
    given = placeholders.values(example)
    found = []
    for prompt in table.prompts:
        if why := placeholders.missing(prompt, given):
            raise Undefined(why)
        around = _around_gap(prompt, given)
        found += [Blank(*around, word) for row in table.words for word in row]
    return found


def _around_gap(pattern: str, given: Mapping[str, str]) -> tuple[str, str]:
    """What stands before the gap and after it."""
    # Cut at the gap first: a text may hold the placeholders' characters.
    before, _, after = pattern.partition(MASK)
    return placeholders.filled(before, given), placeholders.filled(after, given)


def _shares(rows: np.ndarray, label: int) -> Evaluated:
    """From the log-probabilities of words, (evaluators, labels)."""
    # Shifted, because e^logs of improbable words may all be 0.
    highest = rows.max(axis=1)
    p = np.exp(rows - highest[:, None])
    log_w = highest + np.log(p.sum(axis=1))
    return Evaluated(p[:, label] / p.sum(axis=1), np.exp(log_w - log_w.max()))


def aggregate(found: Evaluated, weighting: str) -> float:
    """One number from the evaluators' scores (Table 5).

    nisf: sum_j w_j s_j / sum_j w_j, and the plain mean if all weights are 0.
    """
    s, w = found.s, found.w
    if weighting == "max":
        return float(s.max())
    if weighting == "min":
        return float(s.min())
    if weighting == "mean" or w.sum() == 0:
        return float(s.mean())
    return float((w * s).sum() / w.sum())
