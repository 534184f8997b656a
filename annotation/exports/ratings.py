"""Single ratings as rows, millions of them: some at a time, and no model instances.

Of each rating that Django makes an object of, with the eight rows that it belongs to,
only a few values are wanted. They are looked up for some thousand ratings at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from annotation import page_kinds
from annotation.models import (
    Annotation,
    Generation,
    Import,
    Negative,
    Seat,
    Study,
    Verdict,
)
from annotation.models.surveys import pseudonym

Row = dict[str, Any]
AT_ONCE = 5_000  # ratings


class _Rating(NamedTuple):
    """As stored."""

    pk: int
    seat: int | None
    item: int | None
    generation: int | None
    negative: int | None
    aspect: int
    value: int | None
    imported: int | None
    rater: str
    beside: tuple[int | None, ...]  # more texts, as kinds of pages name them


COLUMNS = (
    *("pk", "seat_id", "item_id", "generation_id", "negative_id"),
    *("aspect_id", "value", "imported_id", "rater"),
)


class _Seat(NamedTuple):
    """A page as one worker saw it."""

    state: str
    informed: bool
    order: list[int]
    survey: int  # its number
    worker: int
    claimed_at: Any
    submitted_at: Any
    reason: str | None


class _Negative(NamedTuple):
    source: str
    perturbation: str
    text: str


def of_study(study: Study) -> QuerySet[Annotation]:
    """Every rating of a text in the study. Two queries, and none of the ratings."""
    aspects = list(study.aspects.order_by().values_list("pk", flat=True))
    found = Annotation.objects.filter(aspect__in=aspects).order_by("pk")
    others = {
        kind.key: {kind.tables.not_rated: None}
        for kind in page_kinds.every()
        if kind.tables.not_rated
    }
    # Only there may an answer be another one. Else the index is all that is read.
    drawn = study.surveys.order_by().filter(kind__in=others)
    for kind in drawn.values_list("kind", flat=True).distinct():
        found = found.filter(**others[kind])
    return found


def rows(study: Study) -> Iterator[Row]:
    """Each rating with its fate, in the order they were given."""
    told = _Told(study)
    ratings = told.ratings(of_study(study))
    while some := list(islice(ratings, AT_ONCE)):
        yield from told.rows(some)


def rows_of(study: Study, ids: Sequence[int]) -> list[Row]:
    """Those of some ratings."""
    told = _Told(study)
    answers = Annotation.objects.filter(pk__in=ids).order_by("pk")
    return list(told.rows(list(told.ratings(answers))))


class _Told:
    """What ratings belong to."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.aspects = dict(study.aspects.values_list("pk", "key"))
        files = Import.objects.filter(study=study)
        self.files = dict(files.values_list("pk", "file_name"))
        self.raters: dict[int, str] = {}
        self.beside = {
            column: f"{field}_id"
            for kind in page_kinds.every()
            for column, field in kind.tables.beside.items()
        }

    def ratings(self, answers: QuerySet[Annotation]) -> Iterator[_Rating]:
        columns, n = (*COLUMNS, *self.beside.values()), len(COLUMNS)
        for row in answers.values_list(*columns).iterator(chunk_size=AT_ONCE):
            yield _Rating._make((*row[:n], row[n:]))

    def rows(self, ratings: Sequence[_Rating]) -> Iterator[Row]:
        """Four queries."""
        seats = _seats(one.seat for one in ratings)
        texts = _texts(pk for one in ratings for pk in (one.generation, *one.beside))
        negatives = _negatives(one.negative for one in ratings)
        row = partial(self._row, seats=seats, texts=texts, negatives=negatives)
        # A page may be gone by now, with its ratings: when its worker has withdrawn.
        return (row(one) for one in ratings if one.seat is None or one.seat in seats)

    def _row(
        self,
        one: _Rating,
        seats: dict[int, _Seat],
        texts: dict[int, tuple[str, bool]],
        negatives: dict[int, _Negative],
    ) -> Row:
        text, excluded = texts[one.generation] if one.generation else ("", False)
        negative = negatives[one.negative] if one.negative else None
        return {
            "simulated": self.study.simulated,
            "text": text,
            "negative_of": negative.source if negative else "",
            **{
                column: texts[pk][0] if pk else ""
                for column, pk in zip(self.beside, one.beside, strict=True)
            },
            "perturbation": negative.perturbation if negative else "",
            "negative_text": negative.text if negative else "",
            "aspect": self.aspects[one.aspect],
            "value": one.value,
            "cannot_say": one.value is None,
            "excluded": excluded,
            **self._of_page(one, seats.get(one.seat) if one.seat else None),
        }

    def _of_page(self, one: _Rating, seat: _Seat | None) -> Row:
        submitted = seat.submitted_at if seat else None
        return {
            "state": seat.state if seat else "imported",
            "informed": bool(seat and seat.informed),  # after the debriefing
            "reason": (seat and seat.reason) or "",
            "survey": seat.survey if seat else None,
            "seat": one.seat,
            # 1 = the first text on the page as this worker saw it.
            "position": seat.order.index(one.item) + 1 if seat and one.item else None,
            "rater": self._code(seat.worker) if seat else one.rater,
            "file": self.files[one.imported] if one.imported else "",
            "claimed_at": seat.claimed_at.isoformat() if seat else "",
            "submitted_at": submitted.isoformat() if submitted else "",
        }

    def _code(self, worker: int) -> str:
        if worker not in self.raters:
            self.raters[worker] = pseudonym(self.study, worker)
        return self.raters[worker]


def _known(ids: Iterable[int | None]) -> set[int]:
    return {pk for pk in ids if pk is not None}


def _seats(ids: Iterable[int | None]) -> dict[int, _Seat]:
    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    found = Seat.objects.filter(pk__in=_known(ids)).order_by()
    columns = ("pk", "state", "informed", "order", "survey__number", "worker_id")
    rows = found.annotate(reason=Subquery(newest.values("reason")[:1])).values_list(
        *columns, "claimed_at", "submitted_at", "reason"
    )
    return {pk: _Seat(*rest) for pk, *rest in rows}


def _texts(ids: Iterable[int | None]) -> dict[int, tuple[str, bool]]:
    """Key, and whether it is excluded."""
    found = Generation.objects.filter(pk__in=_known(ids)).order_by()
    rows = found.values_list("pk", "key", "excluded_at")
    return {pk: (key, excluded is not None) for pk, key, excluded in rows}


def _negatives(ids: Iterable[int | None]) -> dict[int, _Negative]:
    found = Negative.objects.filter(pk__in=_known(ids)).order_by()
    rows = found.values_list("pk", "source__key", "perturbation", "text")
    return {pk: _Negative(*rest) for pk, *rest in rows}
