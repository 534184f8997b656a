"""Single ratings as arrays: what `human_scores` counts, with who gave it and where.

Raters are pseudonyms or the names of a file. Whatever is averaged, left out or compared
later starts from these rows, so that someone else can do it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet, Value

from annotation.human_scores import per_text
from annotation.models import Annotation, Seat, Study
from annotation.models.surveys import pseudonym, seconds_in_view

NONE = -1
EVERY = {"with_discarded": True, "with_excluded": True, "with_informed": True}


class Rows(NamedTuple):
    """One row for each rating, in the order in which they came."""

    of: np.ndarray  # (k,) int64: id of the generation, or of the negative
    aspect: np.ndarray  # (k,) int64: id
    rater: np.ndarray  # (k,) str, "" = unknown
    value: np.ndarray  # (k,) int64; of a measure float64
    valid: np.ndarray  # (k,) bool: False = its page was discarded
    page: np.ndarray  # (k,) int64: the seat, NONE = from a file
    position: np.ndarray  # (k,) int64: 1 = first on the page, NONE = from a file
    seconds: np.ndarray  # (k,) float64: that the page was in view, NaN = unknown
    informed: np.ndarray  # (k,) bool: the rater had read the debriefing before


class _Page(NamedTuple):
    rater: str
    order: dict[int, int]  # item id -> position
    seconds: float
    informed: bool


def of_texts(*, study: Study) -> Rows:
    """Valid and discarded ratings, of excluded texts and informed raters, too.

    Two queries.
    """
    found = per_text.ratings(study=study, **EVERY)
    return _rows(study, found, "generation_id")


def unsaid(*, study: Study) -> Rows:
    """Where workers of the same pages could not say; each `value` is 0. Three queries.

    One query where no question offers it.
    """
    if not study.aspects.filter(cannot_say=True).exists():
        return _columns([])
    found = per_text.answers(study=study, **EVERY).filter(value=None)
    return _rows(study, found.annotate(nothing=Value(0)), "generation_id", "nothing")


def of_measure(
    *, study: Study, values: Iterable[tuple[int, int, str, int, float]]
) -> Rows:
    """Numbers that answers on judged pages add up to; each `aspect` is `NONE`.

    Args:
        study: Of all of them.
        values: Id of the text, the seat, its state, the item, and the number.
    """
    pages = _pages(study)
    return _columns(
        (
            _row(pages, text, NONE, "", number, seat, state, place)
            for text, seat, state, place, number in values
        ),
        np.float64,
    )


def of_negatives(*, study: Study) -> Rows:
    """Ratings of negatives on pages that were judged. Two queries."""
    judged = [Seat.State.VALID, Seat.State.DISCARDED]
    found = Annotation.objects.filter(
        negative__survey__study=study, seat__state__in=judged, value__isnull=False
    )
    return _rows(study, found, "negative_id")


def _rows(
    study: Study, found: QuerySet[Annotation], of: str, value: str = "value"
) -> Rows:
    pages = _pages(study)
    rows = found.order_by("pk").values_list(
        of, "aspect_id", "rater", value, "seat_id", "seat__state", "item_id"
    )
    return _columns(_row(pages, *row) for row in rows.iterator(chunk_size=5000))


def _row(
    pages: dict[int, _Page], of: int, aspect: int, rater: str, *rest: Any
) -> tuple[Any, ...]:
    value, seat, state, item = rest
    page = pages.get(seat)
    if page is None:  # from a file
        return of, aspect, rater, value, True, NONE, NONE, np.nan, False
    valid = state == Seat.State.VALID
    position = page.order.get(item, NONE)
    return (
        *(of, aspect, page.rater, value, valid, seat, position),
        *(page.seconds, page.informed),
    )


def _pages(study: Study) -> dict[int, _Page]:
    seats = Seat.objects.filter(survey__study=study, state__in=Seat.FINISHED)
    names: dict[int, str] = {}
    found = {}
    columns = ("pk", "worker_id", "order", "visible", "informed")
    times = ("claimed_at", "submitted_at")
    rows = seats.order_by().values_list(*columns, *times)
    for pk, worker, order, visible, informed, claimed, submitted in rows:
        if worker not in names:
            names[worker] = pseudonym(study, worker)
        places = {item: place for place, item in enumerate(order, start=1)}
        seconds = seconds_in_view(visible, claimed, submitted)
        known = np.nan if seconds is None else seconds
        found[pk] = _Page(names[worker], places, known, informed)
    return found


def _columns(rows: Iterable[tuple[Any, ...]], number: type = np.int64) -> Rows:
    columns = list(zip(*rows, strict=True)) or [()] * len(Rows._fields)
    types: tuple[type, ...] = (np.int64, np.int64, np.str_, number, np.bool_)
    types += (np.int64, np.int64, np.float64, np.bool_)
    return Rows(*(np.array(c, t) for c, t in zip(columns, types, strict=True)))
