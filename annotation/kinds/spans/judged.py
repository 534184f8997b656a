"""What people marked in texts on pages that were judged: read once, for all uses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from annotation.kinds.spans import stored_marks
from annotation.kinds.spans.marks import SOURCE, TEXT
from annotation.kinds.spans.models import SpanMark
from annotation.models import Generation, Seat, Study
from scoring.stats.spans.marks import Mark

JUDGED = (Seat.State.VALID, Seat.State.DISCARDED)


class JudgedText(NamedTuple):
    """What one worker marked in one text. Damaged texts are none of them."""

    text: int  # ids
    seat: int
    item: int
    worker: int
    state: str
    informed: bool
    sides: Mapping[str, str]  # the text and its source, as they are stored
    marks: Sequence[Mark]  # those that still stand there


def texts(study: Study, generations: Collection[int] | None = None) -> list[JudgedText]:
    """In the order in which they were kept.

    One query where nobody marked anything, else three.

    Args:
        study: Whose marks.
        generations: Ids of the texts that are wanted; None: all of them.
    """
    where = {} if generations is None else {"item__generation__in": generations}
    firsts = SpanMark.objects.filter(
        seat__survey__study=study,
        seat__state__in=JUDGED,
        item__generation__isnull=False,
        number__lte=1,  # each text has one such row, with or without a mark
        **where,
    ).order_by("pk")
    columns = ("item__generation_id", "seat_id", "item_id", "seat__worker_id")
    rows = list(firsts.values_list(*columns, "seat__state", "seat__informed"))
    if not rows:
        return []
    wanted = {} if generations is None else {"pk__in": generations}
    rows_of_texts = Generation.objects.filter(study=study, **wanted)
    words = {
        pk: {TEXT: text, SOURCE: source}
        for pk, text, source in rows_of_texts.values_list(
            "pk", "text", "prompt__source"
        )
    }
    marked = stored_marks.of_study(study, **where)
    judged = []
    for row in rows:
        text, seat, item, worker, state, informed = row
        right, _ = stored_marks.in_place(marked[seat][item], words[text])
        judged.append(
            JudgedText(text, seat, item, worker, state, informed, words[text], right)
        )
    return judged
