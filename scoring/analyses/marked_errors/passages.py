"""The texts with most marks, cut where the judges who marked them change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from scoring.analyses.marked_errors.result import Part, Passage
from scoring.analyses.marked_errors.rows import MarkedStudy
from scoring.stats.spans.marks import Marks, Side

MOST_METRICS = 4  # whose marks are shown


def most_marked(study: MarkedStudy, most: int) -> list[Passage]:
    """Texts that most marks by people stand in, the first of those with as many.

    Args:
        study: With the words of some texts; the others are passed over.
        most: How many texts.
    """
    readers = study.pages.by_text(len(study.texts))
    counts = [sum(len(study.pages.marks[k]) for k in rows) for rows in readers]
    order = np.argsort(-np.array(counts, np.int64), kind="stable").tolist()
    rows = [row for row in order if counts[row] and row in study.words]
    return [
        _passage(study, row, [study.pages.marks[k] for k in readers[row]])
        for row in rows[:most]
    ]


def _passage(study: MarkedStudy, row: int, people: list[Marks]) -> Passage:
    words = study.words[row]
    metrics = {
        name: marks
        for name, of_texts in list(study.metrics.items())[:MOST_METRICS]
        if (marks := of_texts[row]) is not None
    }
    return {
        "text": study.keys[row],
        "n_people": len(people),
        "parts": list(_parts(words["text"], "text", people, metrics)),
        "source": list(_parts(words["source"], "source", people, metrics)),
    }


def _parts(
    words: str, side: Side, people: list[Marks], metrics: dict[str, Marks]
) -> Iterator[Part]:
    """Neighbours that the same judges have marked are one part."""
    judges = [*people, *metrics.values()]
    borders = {0, len(words)}
    for marks in judges:
        borders |= {at for m in marks if m.side == side for at in (m.start, m.end)}
    edges = sorted(border for border in borders if border <= len(words))
    steps = zip(edges, edges[1:], strict=False)
    covered = [
        (step, [_covers(marks, side, *step) for marks in judges]) for step in steps
    ]
    for by, group in groupby(covered, key=lambda part: part[1]):
        stretch = [step for step, _ in group]
        start, end = stretch[0][0], stretch[-1][1]
        yield {
            "start": start,
            "end": end,
            "words": words[start:end],
            "people": sum(by[: len(people)]),
            "metrics": [
                name
                for name, marked in zip(metrics, by[len(people) :], strict=True)
                if marked
            ],
        }


def _covers(marks: Marks, side: Side, start: int, end: int) -> bool:
    return any(m.side == side and m.start <= start < end <= m.end for m in marks)
