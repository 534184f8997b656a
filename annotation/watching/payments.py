"""Who is owed what: lists in the shape that platforms take in bulk.

A platform pays its reward once to each person that is approved. What their pages earn
beyond the reward is a bonus. By default every page submitted is paid, used or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Q

from annotation import platforms
from annotation.models import BonusBatch, Seat, Study
from annotation.workers import RANDOM

PASSED = (Seat.State.VALID, Seat.State.SURPLUS)  # our checks for careful work


class Due(NamedTuple):
    """One person's work."""

    id: str  # on the platform
    assignment: str  # where the platform approves that, as Mechanical Turk does
    pages: int  # submitted
    paid: int  # of those
    worker: int = 0  # the key of their row here

    @property
    def line(self) -> str:
        """What an approval names."""
        return self.assignment or self.id


class Bonus(NamedTuple):
    due: Due
    amount: Decimal


def dues(*, study: Study) -> list[Due]:
    """Everyone who submitted a page and can still be named. One query."""
    platform = platforms.of(study)
    approved_by = platform.approves_by if platform else ""
    finished = Q(seats__state__in=Seat.FINISHED)
    passed = Q(seats__state__in=PASSED)
    workers = (
        study.workers.filter(platform=study.platform)
        .exclude(external_id__startswith=RANDOM)
        .annotate(
            pages=Count("seats", filter=finished), passed=Count("seats", filter=passed)
        )
        .filter(pages__gt=0)
    )
    return [
        Due(
            id=worker.external_id,
            assignment=worker.arrival.get(approved_by, ""),
            pages=worker.pages,
            paid=worker.pages if study.pay_unused else worker.passed,
            worker=worker.pk,
        )
        for worker in workers
    ]


def n_forgotten(*, study: Study) -> int:
    """People whose id was deleted: no list can name them. One query."""
    gone = study.workers.filter(external_id__startswith=RANDOM)
    return gone.filter(seats__state__in=Seat.FINISHED).distinct().count()


def approved(found: Iterable[Due]) -> list[Due]:
    return [due for due in found if due.paid]


def rejected(found: Iterable[Due]) -> list[Due]:
    """Nobody, where pages that are not used are paid, too."""
    return [due for due in found if not due.paid]


def unsettled(*, study: Study) -> BonusBatch | None:
    """Bonuses that were begun on Prolific, and may be paid or not."""
    rows = BonusBatch.objects.filter(recruitment__study=study)
    return rows.filter(state__in=BonusBatch.OPEN).first()


def bonuses(
    found: Iterable[Due], *, per_page: Decimal | None, reward: Decimal
) -> list[Bonus]:
    """What the pages of each person earn beyond the reward that the platform pays."""
    if per_page is None:
        return []
    owed = [Bonus(due, due.paid * per_page - reward) for due in approved(found)]
    return [bonus for bonus in owed if bonus.amount > 0]


def as_lines(found: Iterable[Due | Bonus]) -> str:
    """One id a line; a bonus has its amount behind it, without a header."""
    return "".join(f"{_line(row)}\n" for row in found)


def _line(row: Due | Bonus) -> str:
    if isinstance(row, Due):
        return row.line
    named = [row.due.id, *filter(None, [row.due.assignment]), f"{row.amount:.2f}"]
    return ",".join(named)
