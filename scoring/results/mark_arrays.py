"""Errors that people marked in texts, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import numpy as np

from annotation import page_kinds
from annotation.models import Generation, Study
from annotation.page_kinds.tables import MarkRow
from scoring.stats.data import NONE, ErrorMarks, MarkedTexts, MarkedWords

NOTHING = (NONE, NONE, "", "", "text")
# Texts whose words are held, those with most marks: each row of an array of words takes
# as much as the longest.
MOST_WORDS, LONGEST = 300, 10_000


def exist(*, study: Study) -> bool:
    """Whether anybody looked for errors. No query where no kind of page asks for it."""
    return next(_rows(study), None) is not None


def of_study(
    *, study: Study, ids: np.ndarray
) -> tuple[MarkedTexts, MarkedWords, ErrorMarks]:
    """The texts, the words of those with most marks, and what was marked.

    Args:
        study: Which one.
        ids: Of its texts, in rising order: their places are what rows refer to.
    """
    places = {pk: place for place, pk in enumerate(ids.tolist())}
    rows = [row for row in _rows(study) if row.text in places]
    texts = Generation.objects.filter(pk__in={row.text for row in rows}).order_by("pk")
    words = list(texts.values_list("pk", "text", "prompt__source"))
    worded = _most_marked(rows, {pk: len(text) for pk, text, _ in words})
    with_source = {row.text for row in rows if row.source}
    return (
        MarkedTexts.of(
            (places[pk], len(text), len(source) if pk in with_source else 0)
            for pk, text, source in words
        ),
        MarkedWords.of((places[pk], text) for pk, text, _ in words if pk in worded),
        ErrorMarks.of(
            (
                *(places[row.text], row.rater, row.valid, row.page, row.informed),
                *mark,
            )
            for row in rows
            for mark in row.marks or [NOTHING]
        ),
    )


def _most_marked(rows: Iterable[MarkRow], lengths: Mapping[int, int]) -> set[int]:
    """Ids of the texts with most marks; of those that have as many, the first."""
    times: Counter[int] = Counter()
    for row in rows:
        times[row.text] += len(row.marks)
    short = (text for text in sorted(times) if lengths[text] <= LONGEST)
    return set(sorted(short, key=lambda text: -times[text])[:MOST_WORDS])


def _rows(study: Study) -> Iterator[MarkRow]:
    kinds = page_kinds.of(study)
    return chain.from_iterable(kind.tables.marks(study) for kind in kinds)
