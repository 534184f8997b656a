"""Pages submitted, read as arrays: what quality control judges."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import F, QuerySet

from annotation.models import Annotation, Item, Prompt, Seat, Study
from annotation.models.surveys import seconds_in_view
from annotation.models.texts import full_text

# By item and column of the aspect; None: the worker cannot say.
_Answers = dict[tuple[int, int], int | None]


class Sheet(NamedTuple):
    """One page of a worker."""

    seat_id: int
    survey_id: int
    worker_id: int
    state: str
    items: list[int]  # ids, in the order shown
    # (items, aspects) float64, as given; aspects in their order. NaN: cannot say.
    ratings: np.ndarray
    hidden: int | None  # row of the negative
    hurts: list[str]  # keys of the aspects that it should lower
    characters: int | None  # to read on the page; None where texts were not asked for
    seconds: float  # in view, or from claim to submission where nobody measured
    # Valid ratings of the same items by other people, (people, items, aspects): nobody
    # where they were not asked for.
    others: np.ndarray


class _Page(NamedTuple):
    """What the sheets of one survey share."""

    prefix: str
    texts: dict[int, str]  # by item id; empty ones where texts were not asked for
    hidden: int | None  # item id of the negative
    hurts: list[str]

    def characters(self, items: list[int]) -> int:
        """What there is to read: the prefix once, and how each text continues."""
        full = [full_text(self.prefix, self.texts[item]) for item in items]
        return len(self.prefix) + sum(len(text) - len(self.prefix) for text in full)


def read(
    *,
    study: Study,
    seats: QuerySet[Seat],
    now: datetime,
    texts: bool = False,
    others: bool = False,
) -> list[Sheet]:
    """Read complete pages, in the order they were submitted.

    Three queries, two more with texts, one more with others. A page that lacks an
    answer, as when a worker has withdrawn theirs, is left out.

    Args:
        study: Of all these seats.
        seats: Which ones.
        now: When a page was submitted that does not say so yet.
        texts: Whether to count characters, for which the texts are loaded.
        others: Whether to read what other people gave the same texts.
    """
    column = {pk: n for n, pk in enumerate(study.aspects.values_list("pk", flat=True))}
    survey_pages = _pages(seats, texts)
    answers: dict[int, _Answers] = defaultdict(dict)
    rows = Annotation.objects.filter(seat__in=seats.order_by()).order_by()
    for seat, item, aspect, value in rows.values_list(
        "seat_id", "item_id", "aspect_id", "value"
    ).iterator(chunk_size=5000):
        answers[seat][item, column[aspect]] = value
    found = [
        _sheet(seat, survey_pages[seat.survey_id], answers[seat.pk], len(column), now)
        for seat in _in_order(seats)
        if seat.survey_id in survey_pages
    ]
    kept = [sheet for sheet in found if sheet is not None]
    if others:
        by_survey = _valid_answers(seats, column)
        kept = [_with_others(sheet, by_survey[sheet.survey_id]) for sheet in kept]
    if not texts:
        return kept
    return [
        sheet._replace(characters=survey_pages[sheet.survey_id].characters(sheet.items))
        for sheet in kept
    ]


def _valid_answers(
    seats: QuerySet[Seat], column: dict[int, int]
) -> dict[int, dict[int, _Answers]]:
    """By survey and worker."""
    found: dict[int, dict[int, _Answers]] = defaultdict(lambda: defaultdict(dict))
    surveys = seats.order_by().values("survey")
    rows = Annotation.objects.filter(
        seat__survey__in=surveys, seat__state=Seat.State.VALID
    )
    for survey, worker, item, aspect, value in rows.order_by().values_list(
        *("seat__survey_id", "seat__worker_id", "item_id", "aspect_id", "value")
    ):
        found[survey][worker][item, column[aspect]] = value
    return found


def _with_others(sheet: Sheet, answers: dict[int, _Answers]) -> Sheet:
    """Leaves out workers who lack an item of the page, as after an exclusion."""
    n_items, n_aspects = sheet.ratings.shape
    wanted = [(item, column) for item in sheet.items for column in range(n_aspects)]
    rows = [
        [given[answer] for answer in wanted]
        for worker, given in sorted(answers.items())
        if worker != sheet.worker_id and all(answer in given for answer in wanted)
    ]
    shape = (len(rows), n_items, n_aspects)
    return sheet._replace(others=np.array(rows, dtype=np.float64).reshape(shape))


def _in_order(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    return seats.order_by(F("submitted_at").asc(nulls_last=True), "pk")


def _sheet(
    seat: Seat, page: _Page, answers: _Answers, n_aspects: int, now: datetime
) -> Sheet | None:
    items = [item for item in seat.order if item in page.texts]
    wanted = [(item, column) for item in items for column in range(n_aspects)]
    if not wanted or not all(answer in answers for answer in wanted):
        return None
    ratings = np.array([answers[answer] for answer in wanted], dtype=np.float64)
    return Sheet(
        seat_id=seat.pk,
        survey_id=seat.survey_id,
        worker_id=seat.worker_id,
        state=seat.state,
        items=items,
        ratings=ratings.reshape(len(items), n_aspects),
        hidden=items.index(page.hidden) if page.hidden in items else None,
        hurts=page.hurts,
        characters=None,
        seconds=_seconds(seat, seat.submitted_at or now),
        others=np.zeros((0, len(items), n_aspects)),
    )


def _seconds(seat: Seat, submitted: datetime) -> float:
    """Without a measure, the whole sitting: too long rather than too short."""
    if measured := seconds_in_view(seat.visible, seat.claimed_at, submitted):
        return measured
    return max(0.0, (submitted - seat.claimed_at).total_seconds())


def _pages(seats: QuerySet[Seat], texts: bool) -> dict[int, _Page]:
    surveys = seats.order_by().values("survey")
    rows = Item.objects.filter(survey__in=surveys).select_related("negative")
    prefixes = {}
    if texts:
        rows = rows.select_related("negative", "generation")
        prefixes = _prefixes(surveys)
    by_survey: dict[int, list[Item]] = defaultdict(list)
    for item in rows.order_by("pk"):
        by_survey[item.survey_id].append(item)
    return {
        survey: _page(items, prefixes.get(survey, ""), texts)
        for survey, items in by_survey.items()
    }


def _page(items: list[Item], prefix: str, texts: bool) -> _Page:
    hidden = next((item for item in items if item.negative_id), None)
    return _Page(
        prefix=prefix,
        texts={item.pk: item.text if texts else "" for item in items},
        hidden=hidden.pk if hidden else None,
        hurts=list(hidden.negative.hurts) if hidden and hidden.negative else [],
    )


def _prefixes(surveys: QuerySet[Any]) -> dict[int, str]:
    rows = Prompt.objects.filter(surveys__in=surveys)
    return dict(rows.order_by().values_list("surveys", "prefix"))
