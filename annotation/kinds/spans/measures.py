"""What marks add up to, as human scores of texts.

The penalty of a text and the same for each 100 words, with which metrics are compared
like with any other question; where the study asks for it, the number of marks of each
category and severity, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache, partial

from annotation.kinds.edits.words import words
from annotation.kinds.spans import judged, schemes
from annotation.kinds.spans.judged import JudgedText
from annotation.kinds.spans.marks import TEXT
from annotation.kinds.spans.models import SpanMark
from annotation.kinds.spans.scheme import Scheme
from annotation.models import Study
from annotation.page_kinds.tables import Measure
from scoring.penalties import Weights, penalty, per_100_words

Value = Callable[[JudgedText], float | None]


def measures(study: Study) -> Sequence[Measure]:
    """None where nobody marked anything. One query, or two."""
    if not SpanMark.objects.filter(seat__survey__study=study).exists():
        return ()
    scheme = schemes.of_study(study)
    costs = scheme.costs
    # Read once for all measures.
    texts = lru_cache(maxsize=1)(partial(judged.texts, study))
    numbers: dict[tuple[str, str], Value] = {
        ("errors-penalty", "Errors, weighted"): lambda of: penalty(of.marks, costs),
        ("errors-per-100-words", "Errors, weighted, per 100 words"): partial(
            _per_100_words, costs
        ),
        **(_by_kind(scheme) if scheme.each else {}),
    }
    return [
        Measure(key, title, False, (0, None), partial(_values, texts, of))
        for (key, title), of in numbers.items()
    ]


def _per_100_words(costs: Weights, of: JudgedText) -> float | None:
    return per_100_words(penalty(of.marks, costs), len(words(of.sides[TEXT])))


def _by_kind(scheme: Scheme) -> dict[tuple[str, str], Value]:
    def count(name: str, key: str) -> Value:
        return lambda of: float(sum(getattr(mark, name) == key for mark in of.marks))

    lists = ("category", scheme.categories), ("severity", scheme.severities)
    return {
        (f"errors-{name}-{entry.key}", f"Number of errors: {entry.name}"): count(
            name, entry.key
        )
        for name, entries in lists
        for entry in entries
    }


def _values(
    texts: Callable[[frozenset[int] | None], Sequence[JudgedText]],
    value: Value,
    generations: Collection[int] | None,
) -> Iterator[tuple[int, int, str, int, float]]:
    """Of the texts that have a value."""
    for of in texts(None if generations is None else frozenset(generations)):
        number = value(of)
        if number is not None:
            yield of.text, of.seat, of.state, of.item, number
