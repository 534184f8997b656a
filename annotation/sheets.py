"""Pages handed in, read as arrays: what quality control judges."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.models import Annotation, Item, Prompt, Seat, Study
from annotation.models.texts import full_text


class Sheet(NamedTuple):
    """One page of a worker."""

    seat_id: int
    survey_id: int
    worker_id: int
    state: str
    items: list[int]  # ids, in the order shown
    ratings: np.ndarray  # (items, aspects) int64, as given; aspects in their order
    hidden: int | None  # row of the negative
    hurts: list[str]  # keys of the aspects that it should lower
    characters: int | None  # to read on the page; None where texts were not asked for
    seconds: float  # in view, or from claim to submission where nobody measured


class _Page(NamedTuple):
    """What the sheets of one survey share."""

    items: set[int]
    hidden: int | None  # item id of the negative
    hurts: list[str]
    characters: int | None


def read(
    *, study: Study, seats: QuerySet[Seat], now: datetime, texts: bool = False
) -> list[Sheet]:
    """Read complete pages, in the order they were handed in.

    Three queries, two more with texts. A page that lacks an answer, as when a worker
    has withdrawn theirs, is left out.

    Args:
        study: Of all these seats.
        seats: Which ones.
        now: When a page was handed in that does not say so yet.
        texts: Whether to count characters, for which the texts are loaded.
    """
    column = {pk: n for n, pk in enumerate(study.aspects.values_list("pk", flat=True))}
    survey_pages = _pages(seats, texts)
    answers: dict[int, dict] = defaultdict(dict)
    rows = Annotation.objects.filter(seat__in=seats.order_by()).order_by()
    for seat, item, aspect, value in rows.values_list(
        "seat_id", "item_id", "aspect_id", "value"
    ).iterator(chunk_size=5000):
        answers[seat][item, column[aspect]] = value
    found = [
        _sheet(seat, survey_pages[seat.survey_id], answers[seat.pk], len(column), now)
        for seat in seats
        if seat.survey_id in survey_pages
    ]
    kept = [(when, sheet) for when, sheet in found if sheet is not None]
    return [sheet for _, sheet in sorted(kept, key=lambda row: (row[0], row[1][0]))]


def _sheet(
    seat: Seat, page: _Page, answers: dict, n_aspects: int, now: datetime
) -> tuple[datetime, Sheet | None]:
    submitted = seat.submitted_at or now
    items = [item for item in seat.order if item in page.items]
    wanted = [(item, column) for item in items for column in range(n_aspects)]
    if not wanted or not all(answer in answers for answer in wanted):
        return submitted, None
    ratings = np.array([answers[answer] for answer in wanted], dtype=np.int64)
    return submitted, Sheet(
        seat_id=seat.pk,
        survey_id=seat.survey_id,
        worker_id=seat.worker_id,
        state=seat.state,
        items=items,
        ratings=ratings.reshape(len(items), n_aspects),
        hidden=items.index(page.hidden) if page.hidden in items else None,
        hurts=page.hurts,
        characters=page.characters,
        seconds=_seconds(seat, submitted),
    )


def _seconds(seat: Seat, submitted: datetime) -> float:
    """Without a measure, the whole sitting: too long rather than too short."""
    if measured := sum(seat.visible.values()):
        return measured / 1000
    return max(0.0, (submitted - seat.claimed_at).total_seconds())


def _pages(seats: QuerySet[Seat], texts: bool) -> dict[int, _Page]:
    surveys = seats.order_by().values("survey")
    rows = Item.objects.filter(survey__in=surveys).select_related("negative")
    rows = rows.select_related("negative", "generation") if texts else rows
    prompts = _prefixes(surveys) if texts else {}
    by_survey: dict[int, list[Item]] = defaultdict(list)
    for item in rows.order_by("pk"):
        by_survey[item.survey_id].append(item)
    return {
        survey: _page(items, prompts.get(survey)) for survey, items in by_survey.items()
    }


def _page(items: list[Item], prefix: str | None) -> _Page:
    hidden = next((item for item in items if item.negative_id), None)
    return _Page(
        items={item.pk for item in items},
        hidden=hidden.pk if hidden else None,
        hurts=list(hidden.negative.hurts) if hidden else [],
        characters=None if prefix is None else characters(prefix, items),
    )


def characters(prefix: str, items: list[Item]) -> int:
    """What is there to read: the prefix once, and how each text goes on."""
    texts = [full_text(prefix, item.text) for item in items]
    return len(prefix) + sum(len(text) - len(prefix) for text in texts)


def _prefixes(surveys: QuerySet) -> dict[int, str]:
    rows = Prompt.objects.filter(surveys__in=surveys)
    return dict(rows.order_by().values_list("surveys", "prefix"))
