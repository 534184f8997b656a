"""How many of the wanted answers a study has, by the kind of page that they are on.

Reads only; as many queries for a thousand texts as for ten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Annotation,
    ImportedMean,
    PageKind,
    Place,
    Seat,
    Study,
)

# What a page asks about, damaged texts apart. New pages leave out excluded texts, so
# these cannot be covered, nor can pairs with one.
ASKED = Q(
    survey__items__negative=None,
    survey__items__decoy=None,
    survey__items__generation__excluded_at=None,
    survey__items__pair__first__excluded_at=None,
    survey__items__pair__second__excluded_at=None,
)
# What people give on pages of a kind, and to what.
WORDS: dict[str, tuple[str, str]] = {
    PageKind.RATINGS: ("rating", "text"),
    PageKind.PAIR: ("comparison", "pair"),
    PageKind.EDIT: ("correction", "text"),
    PageKind.DIALOGUE: ("rating", "text"),
}


class Part(NamedTuple):
    """Pages of one kind. One answer is one person on one text or pair, all aspects."""

    kind: str
    wanted: int
    valid: int
    of_each: int  # wanted of each text or pair

    @property
    def units(self) -> int:
        """Texts or pairs."""
        return self.wanted // self.of_each

    @property
    def answer(self) -> str:
        return WORDS[self.kind][0]

    @property
    def unit(self) -> str:
        return WORDS[self.kind][1]

    @property
    def percent(self) -> int:
        """Rounded down: 100 is only said when nothing is missing."""
        return 100 * self.valid // self.wanted if self.wanted else 0


class Coverage(NamedTuple):
    """Answers about real texts and pairs, all kinds of pages together."""

    wanted: int
    valid: int
    texts: int
    imported: int  # texts whose ratings came with a file
    parts: tuple[Part, ...] = ()  # of the kinds of pages that are drawn

    @property
    def left(self) -> int:
        return max(0, self.wanted - self.valid)

    @property
    def percent(self) -> int:
        """Rounded down: 100 is only said when nothing is missing."""
        return 100 * self.valid // self.wanted if self.wanted else 0

    @property
    def complete(self) -> bool:
        return self.wanted > 0 and self.left == 0

    @property
    def answers(self) -> str:
        """What is counted, in the plural."""
        found = {part.answer for part in self.parts} or {"rating"}
        return f"{found.pop()}s" if len(found) == 1 else "answers"

    @property
    def unit(self) -> str:
        """What each of them is about."""
        found = {part.unit for part in self.parts} or {"text"}
        return found.pop() if len(found) == 1 else "page"


def coverage(*, study: Study) -> Coverage:
    """Count the valid answers and those wanted. Four queries."""
    places = Place.objects.filter(study=study, number__lte=study.ratings_per_text)
    wanted = _by_kind(places)
    valid = _by_kind(Seat.objects.filter(survey__study=study, state=Seat.State.VALID))
    texts = study.generations.filter(excluded_at=None).asked_about().count()
    if not wanted and study.rates_texts:  # before the pages are drawn
        wanted = {PageKind.RATINGS.value: texts * study.ratings_per_text}
    parts = tuple(
        Part(kind, wanted[kind], valid.get(kind, 0), study.ratings_per_text)
        for kind in sorted(wanted, key=_turn_of(study))
    )
    return Coverage(
        wanted=sum(part.wanted for part in parts),
        valid=sum(part.valid for part in parts),
        texts=texts,
        imported=_imported(study),
        parts=parts,
    )


def _by_kind(rows: QuerySet[Any]) -> dict[str, int]:
    """How many texts and pairs are on the pages of these rows, by kind."""
    found = rows.order_by().values_list("survey__kind")
    return dict(found.annotate(n=Count("survey__items", filter=ASKED)))


def _turn_of(study: Study) -> Callable[[str], int]:
    """The order in which workers get the kinds of pages."""
    kinds = study.page_kinds
    return lambda kind: kinds.index(kind) if kind in kinds else len(kinds)


def _imported(study: Study) -> int:
    """Texts with ratings or a mean from a file. One query."""
    rated = Annotation.objects.filter(generation=OuterRef("pk"), imported__isnull=False)
    means = ImportedMean.objects.filter(generation=OuterRef("pk"))
    return study.generations.filter(Exists(rated) | Exists(means)).count()
