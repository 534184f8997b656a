"""What marks add up to, as human scores of texts.

The penalty of a text and the same for each 100 words, with which metrics are compared
like with any other question; where the study asks for it, the number of marks of each
category and severity, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from annotation.kinds.spans import schemes, stored_marks
from annotation.kinds.spans.marks import SOURCE, TEXT, Mark
from annotation.kinds.spans.models import SpanMark
from annotation.kinds.spans.penalty import penalty, per_100_words
from annotation.kinds.spans.scheme import Scheme
from annotation.models import Generation, Seat, Study
from annotation.page_kinds.tables import Measure

Value = Callable[[Sequence[Mark], str], float]  # of the marks in a text
JUDGED = (Seat.State.VALID, Seat.State.DISCARDED)


def measures(study: Study) -> Sequence[Measure]:
    """None where nobody marked anything. One query, or two."""
    if not SpanMark.objects.filter(seat__survey__study=study).exists():
        return ()
    scheme = schemes.of_study(study)
    texts = cache(partial(_marked_texts, study))  # read once, for all measures
    numbers: dict[tuple[str, str], Value] = {
        ("errors-penalty", "Errors, weighted"): lambda marks, _: penalty(marks, scheme),
        ("errors-per-100-words", "Errors, weighted, per 100 words"): (
            lambda marks, text: per_100_words(penalty(marks, scheme), text)
        ),
        **(_by_kind(scheme) if scheme.each else {}),
    }
    return [
        Measure(key, title, False, (0, 100), partial(_values, texts, of))
        for (key, title), of in numbers.items()
    ]


def _by_kind(scheme: Scheme) -> dict[tuple[str, str], Value]:
    def count(name: str, key: str) -> Value:
        return lambda marks, _: float(sum(getattr(mark, name) == key for mark in marks))

    lists = ("category", scheme.categories), ("severity", scheme.severities)
    return {
        (f"errors-{name}-{entry.key}", f"Number of errors: {entry.name}"): count(
            name, entry.key
        )
        for name, entries in lists
        for entry in entries
    }


class _MarkedText(NamedTuple):
    """What one person marked in one text."""

    text: int
    seat: int
    state: str
    item: int
    marks: Sequence[Mark]
    words: str


def _values(
    texts: Callable[[], Sequence[_MarkedText]], of: Value
) -> Iterator[tuple[int, int, str, int, float]]:
    for marked in texts():
        yield *marked[:4], of(marked.marks, marked.words)


def _marked_texts(study: Study) -> list[_MarkedText]:
    """In the order in which the marks were kept. Three queries."""
    words = {
        pk: {TEXT: text, SOURCE: source}
        for pk, text, source in Generation.objects.filter(study=study).values_list(
            "pk", "text", "prompt__source"
        )
    }
    rows = SpanMark.objects.filter(
        seat__survey__study=study,
        seat__state__in=JUDGED,
        item__generation__isnull=False,
        number__lte=1,
    ).order_by("pk")
    columns = ("item__generation_id", "seat_id", "seat__state", "item_id")
    marked = stored_marks.of_study(study)
    texts = []
    for text, seat, state, item in rows.values_list(*columns):
        right, _ = stored_marks.in_place(marked[seat][item], words[text])
        texts.append(_MarkedText(text, seat, state, item, right, words[text][TEXT]))
    return texts
