"""Several references: which texts are compared, and one number out of all of them.

Eq. 1 of ARGENT: with the similarity f of a text Y and one reference Y_i,

    E = max over the references of f(Y, Y_i)

because a text is right when it is close to *one* of the right texts. Each output is
aggregated by itself: its best precision and its best recall may be with different
references. The mean instead of the maximum is the other choice.

A text begins with its prefix; a reference may or may not. Where the reference begins
with the prefix too, the whole text is compared. Otherwise the text is compared without
its prefix and the white space behind it, as nobody asked the reference to repeat it.
Empty references are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from scoring.metrics._base import Example, Progress, Scores
from scoring.metrics._batches import Meter
from scoring.metrics._rows import by_slabs

AGGREGATES = ("max", "mean")
AGGREGATE_HELP = "with several references: the best of their scores (max), or the mean"

T = TypeVar("T")

# Scores of m texts, each with the reference at its place: by output key, shape (m,).
Pairs = Callable[[list[str], list[str]], Mapping[str, np.ndarray]]

# Scores of one text with one reference, by output key.
Pair = Callable[[str, str], Mapping[str, float]]
# Score of one text with all its references at once.
Group = Callable[[str, list[str]], float]

UNDEFINED = "the metric gives no number"

# Texts of one call of `pairs`: progress is told, and a run can be stopped, in between.
SLAB = 256


def over(
    examples: Sequence[Example],
    pairs: Pairs,
    *,
    keys: Sequence[str],
    aggregate: str,
    higher_is_better: bool | Mapping[str, bool] = True,
    undefined: str | Mapping[str, str] = UNDEFINED,
    passes_over: bool = False,
    progress: Progress | None = None,
    size: int = SLAB,
) -> Scores:
    """Score texts against each of their references.

    Args:
        examples: n texts.
        pairs: Scores of texts and references, all of `size` texts at once. NaN where a
            pair has none.
        keys: Those of the outputs.
        aggregate: "max", the best reference, which has the smallest number where lower
            is better; or "mean".
        higher_is_better: For all outputs, or by key.
        undefined: Why a pair may have no number, for all outputs or by key.
        passes_over: What a pair without number does. False, and the text has none, for
            the other references would give another one (a reference that is too long).
            True, and the other references count (one that has nothing to compare).

    Returns:
        Values of shape (n,), NaN with a reason where there is no reference, the text is
        empty or nothing follows its prefix, and where a pair has no number.
    """
    meter = Meter(progress)
    meter.begin(texts=len(examples), work=len(examples))
    values: dict[str, list[float]] = {key: [] for key in keys}
    reasons: dict[str, list[str | None]] = {key: [] for key in keys}
    for start in range(0, len(examples), size):
        asked = [compared(example) for example in examples[start : start + size]]
        scores = _scores(asked, pairs)
        for key in keys:
            better = _of(higher_is_better, key)
            for k, one in enumerate(asked):
                if isinstance(one, str):
                    value, reason = np.nan, one
                else:
                    found = scores[key][k]
                    value = _aggregated(found, aggregate, better, passes_over)
                    reason = _of(undefined, key)
                values[key].append(value)
                reasons[key].append(reason if np.isnan(value) else None)
        meter(len(asked))
    meter.end()
    arrays = {key: np.array(column, dtype=np.float64) for key, column in values.items()}
    return Scores(arrays, reasons)


def compared(example: Example) -> list[tuple[str, str]] | str:
    """What is compared with what, (text, reference) each, or why nothing is.

    >>> compared(Example("It left at two.", "It", references=("At two.", "It left.")))
    [('left at two.', 'At two.'), ('It left at two.', 'It left.')]
    """
    references = [one for one in example.references if one.strip()]
    if not references:
        return "there is no reference"
    if not example.text.strip():
        return "the text is empty"
    found = [(_facing(example, reference), reference) for reference in references]
    if not all(text for text, _ in found):
        return "nothing follows the prefix"
    return found


def together(example: Example) -> tuple[str, list[str]] | str:
    """A text with all its references, or why there is nothing to compare.

    All with the prefix if every reference begins with it, otherwise all without.
    """
    found = compared(example)
    if isinstance(found, str):
        return found
    references = [reference for _, reference in found]
    if all(text == example.text for text, _ in found):
        return example.text, references
    rests = [without(example.prefix, reference) for reference in references]
    return without(example.prefix, example.text), [rest for rest in rests if rest]


def _facing(example: Example, reference: str) -> str:
    """The part of a text that a reference is compared with."""
    if reference.startswith(example.prefix):
        return example.text
    return without(example.prefix, example.text)


def without(prefix: str, text: str) -> str:
    """A text without its prefix and the white space around the rest."""
    return text[len(prefix) :].strip() if text.startswith(prefix) else text


def _scores(
    asked: Sequence[list[tuple[str, str]] | str], pairs: Pairs
) -> dict[str, list[np.ndarray]]:
    """By output key, for each text its scores with its references."""
    groups = [[] if isinstance(one, str) else one for one in asked]
    flat = [pair for group in groups for pair in group]
    if not flat:
        return {}
    found = pairs([text for text, _ in flat], [reference for _, reference in flat])
    ends = np.cumsum([len(group) for group in groups])[:-1]
    return {key: np.split(np.asarray(row), ends) for key, row in found.items()}


def _aggregated(
    found: np.ndarray, aggregate: str, higher_is_better: bool, passes_over: bool
) -> float:
    if passes_over:
        found = found[~np.isnan(found)]
    if not found.size or np.isnan(found).any():
        return np.nan
    if aggregate == "mean":
        return float(found.mean())
    return float(found.max() if higher_is_better else found.min())


def _of(given: T | Mapping[str, T], key: str) -> T:
    return given[key] if isinstance(given, Mapping) else given


class PairScorer:
    """A scorer made of a function that gives one pair's numbers, NaN where undefined.

    The other arguments are those of `over`.
    """

    def __init__(
        self,
        signature: str,
        score: Pair,
        *,
        keys: Sequence[str],
        aggregate: str,
        higher_is_better: bool = True,
        undefined: str | Mapping[str, str] = UNDEFINED,
        passes_over: bool = False,
    ) -> None:
        self.signature = signature
        self._score = score
        self._keys = tuple(keys)
        self._aggregate = aggregate
        self._higher_is_better = higher_is_better
        self._undefined = undefined
        self._passes_over = passes_over

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts, pair by pair."""
        return over(
            examples,
            self._pairs,
            keys=self._keys,
            aggregate=self._aggregate,
            higher_is_better=self._higher_is_better,
            undefined=self._undefined,
            passes_over=self._passes_over,
            progress=progress,
            size=1,  # nothing is gained by more, and one long text may take a minute
        )

    def _pairs(
        self, texts: list[str], references: list[str]
    ) -> Mapping[str, np.ndarray]:
        found = [self._score(*pair) for pair in zip(texts, references, strict=True)]
        return {key: np.array([one[key] for one in found]) for key in self._keys}


class JointScorer:
    """A scorer made of a function that takes all references of a text at once."""

    def __init__(self, signature: str, key: str, score: Group) -> None:
        self.signature, self._key, self._score = signature, key, score

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts one by one."""
        return by_slabs(self._key, examples, progress, self._slab, size=SLAB)

    def _slab(self, examples: Sequence[Example], meter: Meter) -> list[float | str]:
        meter.begin(texts=len(examples), work=len(examples))
        found: list[float | str] = []
        for example in examples:
            group = together(example)
            found.append(group if isinstance(group, str) else self._score(*group))
            meter(1)
        meter.end()
        return found
