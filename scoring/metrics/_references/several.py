"""Several references: which texts are compared, and one number out of all of them.

Eq. 1 of ARGENT: with the similarity f of a text Y and one reference Y_i,

    E = max over the references of f(Y, Y_i)

because a text is right when it is close to one of the right texts. Each output is
aggregated by itself: its best precision and its best recall may be with different
references. The mean instead of the maximum is the other choice.

A text begins with its prefix; a reference may or may not. Where the reference begins
with the prefix too, the whole text is compared. Otherwise the text is compared without
its prefix and the white space behind it, as nobody asked the reference to repeat it.
Empty references are passed over. An empty text is compared like any other: who writes
nothing shares nothing with a reference, and must not gain by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from scoring.metrics._engine.base import (
    Evaluator,
    Example,
    Parts,
    Progress,
    Scores,
    option,
)
from scoring.metrics._engine.batches import Meter
from scoring.metrics._engine.rows import by_slabs, padded
from scoring.metrics._references import kinds

AGGREGATES = ("max", "mean")
AGGREGATE_HELP = "with several references: use the best score (max), or the mean"


def aggregate_option(help: str = "", more: Sequence[tuple[str, str]] = ()) -> Any:
    """The option `aggregate`; `more` are choices of one metric, with titles."""
    return option(
        "max",
        AGGREGATE_HELP + help,
        (*AGGREGATES, *(choice for choice, _ in more)),
        label="Several references",
        titles=("best score", "mean of the scores", *(title for _, title in more)),
    )


class ByReference:
    """Of a metric whose parts are the scores with each reference (table 1 of ARGENT).

    Comes before `Metric`, and goes with the options `aggregate` and `reference_kind`,
    and with `over`.
    """

    parts_are: ClassVar[Parts] = "references"
    options: Any
    outputs: Any

    def explain(self, example: Example) -> dict[str, list[Evaluator]]:
        """Each reference, and the part of the text that is compared with it."""
        pairs = compared(kinds.chosen(example, self.options.reference_kind))
        if isinstance(pairs, str) or self.options.aggregate not in AGGREGATES:
            return {}
        found = [Evaluator(reference, text) for text, reference in pairs]
        return {output.key: found for output in self.outputs}


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
    progress: Progress | None = None,
    size: int = SLAB,
) -> Scores:
    """Score texts against each of their references.

    Args:
        examples: n texts.
        pairs: Scores of texts and references, all of `size` texts at once. A pair that
            has nothing to compare is NaN, and passed over like an empty reference.
        keys: Those of the outputs.
        aggregate: "max", the best reference, which has the smallest number where lower
            is better; or "mean".
        higher_is_better: For all outputs, or by key.
        undefined: Why a text may have no pair with a number, for all outputs or by key.
        progress: Told how many texts are done.
        size: Texts that are compared at once.

    Returns:
        Values of shape (n,), NaN with a reason where there is no reference, and where
        no pair has a number. Parts: KEY.s, the score with each reference, and KEY.w,
        how much it counts, both (n, references), NaN behind.
    """
    meter = Meter(progress)
    meter.begin(texts=len(examples), work=len(examples))
    found: dict[str, list[float | str]] = {key: [] for key in keys}
    parts: dict[str, list[np.ndarray | None]] = {
        f"{key}.{part}": [] for key in keys for part in "sw"
    }
    for start in range(0, len(examples), size):
        asked = [compared(example) for example in examples[start : start + size]]
        scores = _scores(asked, pairs)
        for key in keys:
            better, reason = _of(higher_is_better, key), _of(undefined, key)
            for k, one in enumerate(asked):
                s = None if isinstance(one, str) else scores[key][k]
                w = None if s is None else _weights(s, aggregate, better)
                parts[f"{key}.s"].append(s)
                parts[f"{key}.w"].append(w)
                if s is None or w is None:
                    found[key].append(str(one))
                elif w.any():
                    found[key].append(float(s[w > 0].mean()))
                else:
                    found[key].append(reason)
        meter(len(asked))
    meter.end()
    table = {name: padded(rows) for name, rows in parts.items()}
    return _as_scores(found)._replace(parts=table)


def compared(example: Example) -> list[tuple[str, str]] | str:
    """What is compared with what, (text, reference) each, or why nothing is.

    >>> compared(Example("It left at two.", "It", references=("At two.", "It left.")))
    [('left at two.', 'At two.'), ('It left at two.', 'It left.')]
    """
    references = [one for one in example.references if one.strip()]
    if not references:
        return "there is no reference"
    return [(_facing(example, reference), reference) for reference in references]


def together(example: Example) -> tuple[str, list[str]] | str:
    """A text with all its references, or why there is nothing to compare.

    All with the prefix if every reference begins with it, otherwise all without.
    """
    found = compared(example)
    if isinstance(found, str):
        return found
    references = [reference for _, reference in found]
    if is_empty(example) or all(text == example.text for text, _ in found):
        return found[0][0], references
    rests = [without(example.prefix, reference) for reference in references]
    return without(example.prefix, example.text), [rest for rest in rests if rest]


def is_empty(example: Example) -> bool:
    return not example.text.strip()


def _facing(example: Example, reference: str) -> str:
    """The part of a text that a reference is compared with."""
    if is_empty(example):
        return ""
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


def _weights(row: np.ndarray, aggregate: str, higher_is_better: bool) -> np.ndarray:
    """1 for each score that counts, else 0, (references,).

    All that there are for "mean", and for "max" the first of the best.
    """
    there = ~np.isnan(row)
    if aggregate == "mean" or not there.any():
        return there.astype(float)
    best = np.nanargmax(row) if higher_is_better else np.nanargmin(row)
    return np.asarray(np.arange(len(row)) == best, float)


def _as_scores(found: Mapping[str, Sequence[float | str]]) -> Scores:
    """From numbers, and reasons where there is none."""
    values = {
        key: np.array([np.nan if isinstance(v, str) else v for v in column], float)
        for key, column in found.items()
    }
    reasons = {
        key: [v if isinstance(v, str) else None for v in column]
        for key, column in found.items()
    }
    return Scores(values, reasons)


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
    ) -> None:
        self.signature = signature
        self._score = score
        self._keys = tuple(keys)
        self._aggregate = aggregate
        self._higher_is_better = higher_is_better
        self._undefined = undefined

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
