"""What people marked on judged pages, for analyses."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.kinds.spans import judged, schemes
from annotation.kinds.spans.marks import SOURCE
from annotation.models import Seat, Study
from annotation.models.surveys import pseudonym
from annotation.page_kinds.tables import MarkRow


def mark_rows(study: Study) -> Iterator[MarkRow]:
    """In the order in which they were kept. One query without marks, else four."""
    texts = judged.texts(study)
    with_source = bool(texts) and schemes.of_study(study).source
    for of in texts:
        yield MarkRow(
            text=of.text,
            rater=pseudonym(study, of.worker),
            valid=of.state == Seat.State.VALID,
            page=of.seat,
            informed=of.informed,
            source=with_source and bool(of.sides[SOURCE]),
            marks=of.marks,
        )
