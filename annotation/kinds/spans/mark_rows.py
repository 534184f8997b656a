"""What people marked on judged pages, for analyses."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.kinds.spans import schemes, stored_marks
from annotation.kinds.spans.marks import SOURCE, TEXT
from annotation.kinds.spans.models import SpanMark
from annotation.models import Generation, Seat, Study
from annotation.models.surveys import pseudonym
from annotation.page_kinds.tables import MarkRow

JUDGED = (Seat.State.VALID, Seat.State.DISCARDED)


def mark_rows(study: Study) -> Iterator[MarkRow]:
    """Marks that still stand in their text, in the order in which they were kept.

    One query where nobody marked anything, else four.
    """
    firsts = SpanMark.objects.filter(
        seat__survey__study=study,
        seat__state__in=JUDGED,
        item__generation__isnull=False,
        number__lte=1,  # each text has one such row, with or without a mark
    ).order_by("pk")
    rows = list(
        firsts.values_list(
            *("seat_id", "seat__state", "seat__informed", "seat__worker_id"),
            *("item_id", "item__generation_id"),
        )
    )
    if not rows:
        return
    texts = Generation.objects.filter(study=study)
    words = {
        pk: {TEXT: text, SOURCE: source}
        for pk, text, source in texts.values_list("pk", "text", "prompt__source")
    }
    marked, with_source = stored_marks.of_study(study), schemes.of_study(study).source
    for seat, state, informed, worker, item, text in rows:
        right, _ = stored_marks.in_place(marked[seat][item], words[text])
        yield MarkRow(
            text=text,
            rater=pseudonym(study, worker),
            valid=state == Seat.State.VALID,
            page=seat,
            informed=informed,
            source=with_source and bool(words[text][SOURCE]),
            marks=right,
        )
