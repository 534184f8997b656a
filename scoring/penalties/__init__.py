"""The score of a text from the errors that were marked in it: MQM, per 100 words, ESA.

Freitag et al. (2021), "Experts, Errors, and Context", arXiv 2104.14478; Kocmi et al.
(2024), "Error Span Annotation", arXiv 2406.11580.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Protocol

ERROR_FREE = 85  # of 100, from which on a text without a mark is free of errors


class Marked(Protocol):
    """An error, wherever it stands: marks of people and of metrics."""

    @property
    def category(self) -> str: ...

    @property
    def severity(self) -> str: ...


class Error(NamedTuple):
    """One without a place."""

    category: str = ""
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """What marks cost. Categories and severities are compared without their case.

    Published files spell names in many ways: a category is named as it is, without its
    exclamation mark, as a whole ("fluency/punctuation") or by its last part.
    """

    severities: Mapping[str, float]
    # Of a severity within a category, in place of the weight of the severity.
    exceptions: Mapping[tuple[str, str], float] = field(default_factory=dict)
    # Of a category, whatever the severity.
    categories: Mapping[str, float] = field(default_factory=dict)
    # Of a category that stands for the whole text: no other mark counts beside it.
    whole: Mapping[str, float] = field(default_factory=dict)
    most: int | None = None  # marks that count at most: the dearest ones
    other: float | None = None  # of a severity without a weight; None: it is refused


MQM = Weights(
    severities=MappingProxyType({"minor": 1.0, "major": 5.0, "neutral": 0.0}),
    exceptions=MappingProxyType({("punctuation", "minor"): 0.1}),
    categories=MappingProxyType(
        {"source issue": 0.0, "creative reinterpretation": 0.0}
    ),
    whole=MappingProxyType({"non-translation": 25.0}),
    most=5,
)
# As in the files of WMT22 and later: people mark all errors, and their costs add up.
MQM_SUM = Weights(
    MQM.severities,
    MQM.exceptions,
    MappingProxyType({**MQM.categories, **MQM.whole}),
)
ESA = Weights(severities=MappingProxyType({"minor": 1.0, "major": 5.0}))


def penalty(marks: Iterable[Marked], weights: Weights = MQM) -> float:
    """What the marks of one text cost together.

    sum over marks of w(category, severity), of the `most` dearest marks; or the weight
    of a category that stands for the whole text, where one is marked.

    Args:
        marks: Of one text by one person, on both sides.
        weights: Of severities and categories.

    Returns:
        0 or more: 0 = nothing that costs was marked, and lower is better. Published
        files have it with a minus sign.

    Raises:
        ValueError: If a severity has no weight, and `weights.other` is None.

    >>> penalty((Error("Style", "Minor"), Error("Accuracy", "Major")))
    6.0
    """
    marks = list(marks)
    whole = [
        weights.whole[name]
        for mark in marks
        for name in _names(mark.category)
        if name in weights.whole
    ]
    if whole:
        return max(whole)
    costs = [weight(mark.category, mark.severity, weights) for mark in marks]
    if weights.most is not None and len(costs) > weights.most:
        costs = sorted(costs, reverse=True)[: weights.most]
    return float(sum(costs))


def weight(category: str, severity: str, weights: Weights = MQM) -> float:
    """Of one mark. Raises ValueError if its severity has none, as in `penalty`."""
    grades = (severity, severity.casefold())
    for name in _names(category):
        for grade in grades:
            if (name, grade) in weights.exceptions:
                return weights.exceptions[name, grade]
        if name in weights.categories:
            return weights.categories[name]
    costs = [weights.severities[g] for g in grades if g in weights.severities]
    cost = costs[0] if costs else weights.other
    if cost is None:
        expected = ", ".join(weights.severities)
        raise ValueError(f'severity "{severity}": expected one of {expected}')
    return cost


def per_100_words(penalty: float, words: int) -> float | None:
    """100 penalty / words; None for a text without words."""
    return 100 * penalty / words if words else None


def error_free(score: float, marks: Collection[Marked]) -> bool:
    """Whether nothing is marked and the score, from 0 to 100, is 85 or more (WMT26)."""
    return not marks and score >= ERROR_FREE


def _names(category: str) -> tuple[str, ...]:
    """Names that it may be listed under: as it is, plainly, and its last part."""
    plain = category.casefold().strip().rstrip("!")
    return (category, plain, plain.rsplit("/", 1)[-1].strip())
