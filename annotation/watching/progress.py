"""How many of the wanted answers a study has, by the kind of page that they are on.

Reads only; as many queries for a thousand texts as for ten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation import page_kinds
from annotation.models import (
    Annotation,
    Import,
    ImportedMean,
    Item,
    Place,
    Seat,
    Study,
)
from annotation.page_kinds import items as page_items
from annotation.surveys.parts import n_left_out, n_to_rate


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
        return page_kinds.get(self.kind).counting.answer

    @property
    def unit(self) -> str:
        return page_kinds.get(self.kind).counting.unit

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
    left_out: int = 0  # of a draft: texts that nobody will be asked about

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


def asked(prefix: str) -> Q:
    """What pages ask about, damaged texts apart. New pages leave out excluded texts, so
    these cannot be covered, nor can pairs with one."""
    return page_items.shown(prefix) & page_items.counted(prefix)


def coverage(*, study: Study) -> Coverage:
    """Count the valid answers and those wanted. A dozen queries at most."""
    asked = _asked(study)
    places = Place.objects.filter(study=study, number__lte=study.ratings_per_text)
    wanted = _by_kind(places, asked)
    seats = Seat.objects.filter(survey__study=study, state=Seat.State.VALID)
    valid = _by_kind(seats, asked)
    texts = n_to_rate(study)
    if not wanted and study.judges_texts:  # before the pages are drawn
        kinds = [kind.key for kind in page_kinds.of(study) if kind.facts.judges_texts]
        wanted = {kinds[0]: texts * study.ratings_per_text}
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
        left_out=n_left_out(study),
    )


def _by_kind(rows: QuerySet[Any], asked: dict[int, tuple[str, int]]) -> dict[str, int]:
    """How many texts and pairs are on the pages of these rows, by kind. One query.

    Rows are counted by page before they meet what is on it: a study of 100,000 texts
    with ten ratings of each has 100,000 rows and a million pairs of row and text.
    """
    found: Counter[str] = Counter()
    for survey, n in _by_survey(rows).items():
        # While a large study is opened, pages are added between two queries.
        if survey in asked:
            kind, units = asked[survey]
            found[kind] += n * units
    return dict(found)


def _asked(study: Study) -> dict[int, tuple[str, int]]:
    """The kind of each page, and how many texts and pairs are on it. Three queries."""
    on_page = Item.objects.filter(page_items.counted(), survey__study=study)
    pages = dict(study.surveys.order_by().values_list("pk", "kind"))
    n = Counter(_by_survey(on_page))
    excluded = study.generations.exclude(excluded_at=None)
    if excluded.exists():
        n.subtract(_by_survey(on_page.filter(page_items.has_one_of(excluded))))
    return {survey: (kind, n[survey]) for survey, kind in pages.items()}


def _by_survey(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("survey").annotate(n=Count("pk")))


def _turn_of(study: Study) -> Callable[[str], int]:
    """The order in which workers get the kinds of pages."""
    kinds = study.page_kinds
    return lambda kind: kinds.index(kind) if kind in kinds else len(kinds)


def _imported(study: Study) -> int:
    """Texts with ratings or a mean from a file. Three queries at most."""
    files = Import.objects.filter(study=study)
    # Asked by file: in a study that is rated here, millions of ratings have none.
    rated = Annotation.objects.filter(imported=OuterRef("pk"))
    means = ImportedMean.objects.filter(imported=OuterRef("pk"))
    found = list(
        files.filter(Exists(rated) | Exists(means)).values_list("pk", flat=True)
    )
    if not found:
        return 0
    rated = Annotation.objects.filter(generation=OuterRef("pk"), imported__in=found)
    means = ImportedMean.objects.filter(generation=OuterRef("pk"), imported__in=found)
    return study.generations.filter(Exists(rated) | Exists(means)).count()
