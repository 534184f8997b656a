"""What marks add up to, as human scores of texts.

The penalty of a text and the same for each 100 words, with which metrics are compared
like with any other question; where the study asks for it, the number of marks of each
category and severity, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

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
    numbers: dict[tuple[str, str], Value] = {
        ("errors-penalty", "Errors, weighted"): lambda marks, _: penalty(marks, scheme),
        ("errors-per-100-words", "Errors, weighted, per 100 words"): (
            lambda marks, text: per_100_words(penalty(marks, scheme), text)
        ),
        **(_by_kind(scheme) if scheme.each else {}),
    }
    return [
        Measure(key, title, False, (0, 100), partial(_values, study, of))
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


def _values(study: Study, of: Value) -> Iterator[tuple[int, int, str, int, float]]:
    """In the order in which the marks were kept. Three queries."""
    texts = dict(Generation.objects.filter(study=study).values_list("pk", "text"))
    sources = dict(
        Generation.objects.filter(study=study).values_list("pk", "prompt__source")
    )
    rows = SpanMark.objects.filter(
        seat__survey__study=study,
        seat__state__in=JUDGED,
        item__generation__isnull=False,
        number__lte=1,
    ).order_by("pk")
    columns = ("seat_id", "seat__state", "item_id", "item__generation_id")
    marked = stored_marks.of_study(study)
    for seat, state, place, text in rows.values_list(*columns):
        sides = {TEXT: texts[text], SOURCE: sources[text]}
        right, _ = stored_marks.in_place(marked[seat][place], sides)
        yield text, seat, state, place, of(right, texts[text])
