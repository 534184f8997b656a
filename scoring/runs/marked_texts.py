"""Errors that a metric marked in a chunk's texts -> rows, as places of stored texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.models import Generation
from scoring.metrics import Example, Marked, MarkedError, Unplaced
from scoring.models import MetricReading, Signature


def rows(
    signature: Signature,
    texts: Sequence[Generation],
    examples: Sequence[Example],
    marked: Sequence[Marked | None],
) -> Iterator[MetricReading]:
    """One for each text that the metric has read, saved or not.

    Metrics see a text behind its opening, in the opening's own spelling: offsets are
    moved, and the words must be those of the stored text.
    """
    for text, example, of_text in zip(texts, examples, marked, strict=True):
        if of_text is None:
            continue
        moved = len(example.text) - len(text.text)
        placed = [_moved(mark, moved) for mark in of_text.marks]
        stands = [mark for mark in placed if _stands(mark, text.text, example.source)]
        lost = [Unplaced("absent", mark.words) for mark in placed if mark not in stands]
        yield MetricReading(
            generation=text,
            signature=signature,
            metric=signature.digest,
            marks=[list(mark) for mark in stands],
            unplaced=[[u.code, u.words] for u in (*of_text.unplaced, *lost)],
        )


def keep(readings: Sequence[MetricReading]) -> None:
    """In place of earlier ones. Call it in the transaction that ends the chunk."""
    if readings:
        earlier = MetricReading.objects.filter(metric=readings[0].metric)
        texts = [reading.generation_id for reading in readings]
        earlier.filter(generation__in=texts).delete()
        MetricReading.objects.bulk_create(readings)


def _moved(mark: MarkedError, n: int) -> MarkedError:
    if mark.side == "source":
        return mark
    return mark._replace(start=mark.start - n, end=mark.end - n)


def _stands(mark: MarkedError, text: str, source: str) -> bool:
    side = source if mark.side == "source" else text
    return 0 <= mark.start <= mark.end <= len(side) and (
        side[mark.start : mark.end] == mark.words
    )
