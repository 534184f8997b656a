"""Single ratings as rows, millions of them: some at a time, and no model instances.

Of each rating that Django makes an object of, with the eight rows that it belongs to,
only a few values are wanted. They are looked up for some thousand ratings at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from annotation import page_kinds
from annotation.archive.answers import ABOUT, PERTURBATION, SIMULATED, of_page
from annotation.archive.columns import EXPORT, Column, Reader, Row, Table
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


class _Text(NamedTuple):
    key: str
    excluded: bool


class _Answer(NamedTuple):
    """What a row is made of."""

    rating: _Rating
    page: _Seat | None
    text: _Text | None
    negative: _Negative | None
    beside: list[_Text | None]

    @property
    def state(self) -> str:
        return self.page.state if self.page else "imported"

    @property
    def position(self) -> int | None:
        """1 = the first text on the page as this worker saw it."""
        page, item = self.page, self.rating.item
        return page.order.index(item) + 1 if page and item else None


def table() -> Table:
    """With the columns that kinds of pages add."""
    return Table(
        "annotations",
        "One answer of one worker, as in the export of annotations.",
        (
            *(SIMULATED, *ABOUT, *_beside(), PERTURBATION),
            Column("negative_text", "string", "The damaged text"),
            Column("aspect", "string", "Key of the question"),
            Column("value", "int?", "On the scale of its aspect"),
            Column("cannot_say", "bool", "The worker could not say: nothing counts"),
            *of_page(
                [*Seat.State.values, "imported"],
                Column("file", "string", "In which it came; empty: given here"),
            ),
        ),
        of={
            "text": "text.key",
            "negative_of": "negative.source",
            "perturbation": "negative.perturbation",
            "negative_text": "negative.text",
            "value": "rating.value",
            "reason": "page.reason",
            "survey": "page.survey",
            "seat": "rating.seat",
            "claimed_at": "page.claimed_at",
            "submitted_at": "page.submitted_at",
        },
    )


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
    return _rows(study, of_study(study))


def rows_of(study: Study, ids: Sequence[int]) -> Iterator[Row]:
    """Those of some ratings."""
    return _rows(study, Annotation.objects.filter(pk__in=ids).order_by("pk"))


def _rows(study: Study, answers: QuerySet[Annotation]) -> Iterator[Row]:
    return table().rows(_answers(answers), EXPORT, **_readers(study))


def _beside() -> dict[Column, str]:
    """Columns with the key of one more text, and the field of a rating with its id."""
    kinds = page_kinds.every()
    return {key: field for kind in kinds for key, field in kind.tables.beside.items()}


def _readers(study: Study) -> dict[str, Reader]:
    aspects = dict(study.aspects.values_list("pk", "key"))
    imports = Import.objects.filter(study=study)
    files = dict(imports.values_list("pk", "file_name"))
    pseudonym_of = cache(partial(pseudonym, study))
    names = [column.name for column in _beside()]
    return {
        "simulated": lambda answer: study.simulated,
        "aspect": lambda answer: aspects[answer.rating.aspect],
        "cannot_say": lambda answer: answer.rating.value is None,
        "excluded": lambda answer: bool(answer.text and answer.text.excluded),
        "informed": lambda answer: bool(answer.page and answer.page.informed),
        "rater": lambda answer: (
            pseudonym_of(answer.page.worker) if answer.page else answer.rating.rater
        ),
        "file": lambda answer: files.get(answer.rating.imported, ""),
        **{name: partial(_key_beside, n) for n, name in enumerate(names)},
    }


def _key_beside(n: int, answer: _Answer) -> str:
    text = answer.beside[n]
    return text.key if text else ""


def _answers(answers: QuerySet[Annotation]) -> Iterator[_Answer]:
    """Four queries for some thousand ratings."""
    beside, n = (f"{field}_id" for field in _beside().values()), len(COLUMNS)
    stored = answers.values_list(*COLUMNS, *beside).iterator(chunk_size=AT_ONCE)
    ratings = (_Rating._make((*row[:n], row[n:])) for row in stored)
    while batch := list(islice(ratings, AT_ONCE)):
        seats = _seats(rating.seat for rating in batch)
        texts = _texts(pk for r in batch for pk in (r.generation, *r.beside))
        negatives = _negatives(rating.negative for rating in batch)
        for rating in batch:
            page = seats.get(rating.seat)
            # It may be gone by now, with its ratings: when its worker has withdrawn.
            if page or rating.seat is None:
                yield _Answer(
                    *(rating, page, texts.get(rating.generation)),
                    *(negatives.get(rating.negative), [*map(texts.get, rating.beside)]),
                )


def _known(ids: Iterable[int | None]) -> set[int]:
    return {pk for pk in ids if pk is not None}


def _seats(ids: Iterable[int | None]) -> dict[int | None, _Seat]:
    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    found = Seat.objects.filter(pk__in=_known(ids)).order_by()
    columns = ("pk", "state", "informed", "order", "survey__number", "worker_id")
    rows = found.annotate(reason=Subquery(newest.values("reason")[:1])).values_list(
        *columns, "claimed_at", "submitted_at", "reason"
    )
    return {pk: _Seat(*rest) for pk, *rest in rows}


def _texts(ids: Iterable[int | None]) -> dict[int | None, _Text]:
    found = Generation.objects.filter(pk__in=_known(ids)).order_by()
    rows = found.values_list("pk", "key", "excluded_at")
    return {pk: _Text(key, excluded is not None) for pk, key, excluded in rows}


def _negatives(ids: Iterable[int | None]) -> dict[int | None, _Negative]:
    found = Negative.objects.filter(pk__in=_known(ids)).order_by()
    rows = found.values_list("pk", "source__key", "perturbation", "text")
    return {pk: _Negative(*rest) for pk, *rest in rows}
