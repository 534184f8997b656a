"""The comparisons that one text stood in: against which text, and who said what.

Reads only; as many queries for a hundred answers as for two. Each answer is told from
this text: it won, tied or lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce

from annotation.models import (
    Annotation,
    Aspect,
    Generation,
    Item,
    Negative,
    Pair,
    Seat,
    Study,
    comparing,
)
from annotation.models.surveys import pseudonym

MOST_ROWS = 200  # answers shown

# Of a text, by how much it is better.
OUTCOMES = {2: "much better", 1: "better", 0: "no difference", -1: "worse"}
OUTCOMES |= {-2: "much worse"}


@dataclass(slots=True)
class Against:
    """What one worker said of this text and another one."""

    other: Generation | None  # None: its own damaged version
    negative: Negative | None  # that version
    seat: Seat
    name: str  # pseudonym of the worker
    was_left: bool
    leads: list[int | None]  # by how much this text is better, in the aspects' order
    unsaid: set[int] = field(default_factory=set)  # columns that were "cannot say"

    @property
    def counts(self) -> bool:
        return self.seat.state == Seat.State.VALID and not self.seat.informed

    @property
    def answers(self) -> list[str]:
        """In words; empty: not answered."""
        return [
            "cannot say"
            if at in self.unsaid
            else ""
            if lead is None
            else OUTCOMES[lead]
            for at, lead in enumerate(self.leads)
        ]


class Tally(NamedTuple):
    """The valid answers against one system, damaged versions apart."""

    system: str
    damaged: bool
    sums: list[tuple[int, int, int]]  # won, tied, lost, in the aspects' order


@dataclass(frozen=True, slots=True)
class Compared:
    """Everything that was said of a text beside another one."""

    n_pairs: int  # drawn, damaged versions apart
    rows: list[Against]
    n_rows: int  # also those that are not shown
    tallies: list[Tally]
    most: int = MOST_ROWS


def read(*, study: Study, text: Generation, aspects: Sequence[Aspect]) -> Compared:
    """Valid answers first. Two queries."""
    either = Q(first=text) | Q(second=text)
    n_pairs = Pair.objects.filter(either, second__isnull=False).count()
    rows = _rows(study, text, aspects)
    rows.sort(key=lambda one: not one.counts)
    tallies = _tallies(rows, len(aspects))
    return Compared(n_pairs, rows[:MOST_ROWS], len(rows), tallies)


def n_pairs() -> CombinedExpression:
    """Of each text of a query, in how many pairs it stands, damaged versions apart."""

    def count(side: str) -> Coalesce:
        own = Pair.objects.filter(**{side: OuterRef("pk")}, second__isnull=False)
        found = own.order_by().values(side).annotate(n=Count("pk")).values("n")
        return Coalesce(Subquery(found), 0)

    return count("first") + count("second")


def _rows(study: Study, text: Generation, aspects: Sequence[Aspect]) -> list[Against]:
    column = {aspect.pk: number for number, aspect in enumerate(aspects)}
    n = len(aspects)
    found: dict[tuple[int, int], Against] = {}
    answers = Annotation.objects.filter(Q(pair__first=text) | Q(pair__second=text))
    for row in answers.order_by("pk").select_related(
        *("pair__first__system", "pair__second__system", "item__negative"),
        *("seat__worker", "seat__survey"),
    ):
        assert row.seat is not None and row.item is not None and row.pair is not None
        is_first = row.pair.first_id == text.pk
        key = row.seat.pk, row.item.pk
        if key not in found:
            found[key] = _against(study, row.seat, row.item, row.pair, is_first, n)
        if row.value is None:
            found[key].unsaid.add(column[row.aspect_id])
            continue
        lead = comparing.lead(row.value)
        found[key].leads[column[row.aspect_id]] = lead if is_first else -lead
    return list(found.values())


def _against(
    study: Study,
    seat: Seat,
    item: Item,
    pair: Pair,
    is_first: bool,
    n_aspects: int,
) -> Against:
    other = pair.second if is_first else pair.first
    return Against(
        other=other,
        negative=item.negative if other is None else None,
        seat=seat,
        name=pseudonym(study, seat.worker_id),
        was_left=is_first != (item.pk in seat.flipped),
        leads=[None] * n_aspects,
    )


def _tallies(rows: Sequence[Against], n_aspects: int) -> list[Tally]:
    found: dict[tuple[bool, str], list[Counter[int]]] = {}
    for row in rows:
        if not row.counts:
            continue
        system = row.other.system.name if row.other and row.other.system else ""
        sums = found.setdefault(
            (row.other is None, system), [Counter() for _ in range(n_aspects)]
        )
        for at, lead in enumerate(row.leads):
            if lead is not None:
                sums[at][(lead > 0) - (lead < 0)] += 1
    return [
        Tally(system, damaged, [(one[1], one[0], one[-1]) for one in sums])
        for (damaged, system), sums in sorted(found.items())
    ]
