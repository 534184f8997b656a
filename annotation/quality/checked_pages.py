"""Pages submitted, read as arrays: what quality control judges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import partial

from django.db.models import F, QuerySet

from annotation import page_kinds
from annotation.models import Annotation, Item, Prompt, Seat, Study
from annotation.page_kinds.matrix import PageMatrix, Submitted

MOST_AT_ONCE = 5_000  # pages: of a hundred thousand, the answers alone take gigabytes

# By item and column of the aspect; None: the worker cannot say.
_Answers = dict[tuple[int, int], int | None]


def read(
    *,
    study: Study,
    seats: QuerySet[Seat],
    now: datetime,
    texts: bool = False,
    others: bool = False,
) -> list[PageMatrix]:
    """Read complete pages, in the order they were submitted.

    Four queries, one more with pages of corrections, one with texts, one with others.
    A page that lacks an answer, as when a worker has withdrawn theirs, is left out.

    Args:
        study: Of all these seats.
        seats: Which ones.
        now: When a page was submitted that does not say so yet.
        texts: Whether to count characters, for which the texts are loaded.
        others: Whether to read what other people gave the same texts.
    """
    about = dict(study.aspects.values_list("pk", "about"))
    column = {pk: n for n, pk in enumerate(about)}
    # Named one by one: a query within a query keeps PostgreSQL from seeing how few rows
    # of its large tables are wanted, and it reads all of them.
    pages = list(_in_order(seats))
    surveys = sorted({page.survey_id for page in pages})
    submitted = Submitted(
        study=study,
        seats=pages,
        items=_items(surveys, texts=texts),
        answers=_answers(pages, column),
        about=list(about.values()),
        prefixes=_prefixes(surveys) if texts else None,
        others=_valid_answers(surveys, column) if others else None,
        now=now,
    )
    by_seat = {matrix.seat_id: matrix for matrix in _of_each_kind(submitted)}
    return [by_seat[page.pk] for page in pages if page.pk in by_seat]


def read_all(
    *,
    study: Study,
    seats: QuerySet[Seat],
    now: datetime,
    texts: bool = False,
    others: bool = False,
) -> list[PageMatrix]:
    """The same of any number of pages: some surveys at a time, for they share much."""
    reading = partial(read, study=study, now=now, texts=texts, others=others)
    n = seats.count()
    if n <= MOST_AT_ONCE:
        return reading(seats=seats)
    order = list(_in_order(seats).values_list("pk", "survey"))
    at = {pk: place for place, (pk, _) in enumerate(order)}
    surveys = sorted({survey for _, survey in order})
    size = max(1, MOST_AT_ONCE * len(surveys) // n)
    matrices: list[PageMatrix] = []
    for start in range(0, len(surveys), size):
        part = seats.filter(survey__in=surveys[start : start + size])
        matrices += reading(seats=part)
    # Pages that were submitted while the others were read have no place among them.
    placed = [matrix for matrix in matrices if matrix.seat_id in at]
    return sorted(placed, key=lambda matrix: at[matrix.seat_id])


def _of_each_kind(submitted: Submitted) -> Iterable[PageMatrix]:
    by_kind: dict[str, list[Seat]] = defaultdict(list)
    for seat in submitted.seats:
        for item in submitted.items.get(seat.survey_id, {}).values():
            by_kind[item.survey.kind].append(seat)
            break
    for kind, seats in by_kind.items():
        yield from page_kinds.get(kind).matrices.read(submitted._replace(seats=seats))


def _answers(pages: list[Seat], column: dict[int, int]) -> dict[int, _Answers]:
    """By seat."""
    answers: dict[int, _Answers] = defaultdict(dict)
    rows = Annotation.objects.filter(seat__in=[page.pk for page in pages]).order_by()
    for seat, item, aspect, value in rows.values_list(
        "seat_id", "item_id", "aspect_id", "value"
    ).iterator(chunk_size=5000):
        answers[seat][item, column[aspect]] = value
    return answers


def _valid_answers(
    surveys: Collection[int], column: dict[int, int]
) -> dict[int, dict[int, _Answers]]:
    """By survey and worker."""
    answers: dict[int, dict[int, _Answers]] = defaultdict(lambda: defaultdict(dict))
    rows = Annotation.objects.filter(
        seat__survey__in=surveys, seat__state=Seat.State.VALID
    )
    for survey, worker, item, aspect, value in rows.order_by().values_list(
        *("seat__survey_id", "seat__worker_id", "item_id", "aspect_id", "value")
    ):
        answers[survey][worker][item, column[aspect]] = value
    return answers


def _in_order(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    return seats.order_by(F("submitted_at").asc(nulls_last=True), "pk")


def _items(surveys: Collection[int], *, texts: bool) -> dict[int, dict[int, Item]]:
    """By survey and id."""
    related = {
        name
        for kind in page_kinds.every()
        for name in kind.matrices.related(texts=texts)
    }
    rows = Item.objects.filter(survey__in=surveys).select_related(
        *("survey", "generation", "negative"), *sorted(related)
    )
    items: dict[int, dict[int, Item]] = defaultdict(dict)
    for item in rows.order_by("pk"):
        items[item.survey_id][item.pk] = item
    return items


def _prefixes(surveys: Collection[int]) -> dict[int, str]:
    rows = Prompt.objects.filter(surveys__in=surveys)
    return dict(rows.order_by().values_list("surveys", "prefix"))
