"""Who marked what, out of the tables of a study."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.stats.columns import Columns
from scoring.stats.data import NONE, Data
from scoring.stats.spans.marks import Mark, Marks, Side
from scoring.stats.spans.pages import Pages, Predicted, Texts

PLACE = ("start", "end", "category", "severity", "side")


@dataclass(frozen=True, slots=True)
class MarkedStudy:
    """The texts in which somebody looked for errors, with all that was marked."""

    keys: list[str]  # of the texts
    words: dict[int, dict[Side, str]]  # of some of them, and of their sources
    texts: Texts
    pages: Pages  # of people
    metrics: dict[str, Predicted]  # by name
    unplaced: Counter[tuple[str, str]]  # errors without a place, by metric and code


def of_data(data: Data) -> MarkedStudy:
    """Texts are numbered in the order of `data.marked_texts`."""
    table = data.marked_texts
    source = table.source if table.source.any() else None
    texts = Texts(
        table.length,
        data.texts.prompt[table.text],
        data.texts.system[table.text],
        source,
    )
    row_of = {text: row for row, text in enumerate(table.text.tolist())}
    return MarkedStudy(
        data.texts.key[table.text].tolist(),
        {
            row_of[text]: {"text": words, "source": source}
            for text, words, source in _cells(
                data.marked_words, "text", "words", "source"
            )
        },
        texts,
        _pages(data, row_of),
        _metrics(data, row_of),
        Counter(
            (metric, code)
            for text, metric, code in _cells(data.unplaced, "text", "metric", "code")
            if text in row_of
        ),
    )


def _pages(data: Data, row_of: dict[int, int]) -> Pages:
    """A page is what one rater marked in one text at one sitting."""
    table = data.error_marks
    people: dict[tuple[int, str, int], list[Mark]] = defaultdict(list)
    for text, rater, page, *place in _cells(table, "text", "rater", "page", *PLACE):
        people[row_of[text], rater, page] += _mark(place)
    _, at = np.unique([rater for _, rater, _ in people], return_inverse=True)
    return Pages(
        np.array([row for row, _, _ in people], np.int64),
        at.reshape(-1).astype(np.int64),
        tuple(tuple(marks) for marks in people.values()),
    )


def _metrics(data: Data, row_of: dict[int, int]) -> dict[str, Predicted]:
    metrics: dict[str, list[Marks | None]] = {}
    for text, name, *place in _cells(data.metric_marks, "text", "metric", *PLACE):
        if text in row_of:
            marks = metrics.setdefault(name, [None] * len(row_of))
            row = row_of[text]
            marks[row] = (*(marks[row] or ()), *_mark(place))
    return dict(sorted(metrics.items()))


def _cells(table: Columns, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Of each row, these columns."""
    return zip(*(getattr(table, name).tolist() for name in columns), strict=True)


def _mark(place: list[Any]) -> list[Mark]:
    return [] if place[0] == NONE else [Mark(*place)]
