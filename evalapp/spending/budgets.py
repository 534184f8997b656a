"""What a study, and all studies in a month, may spend. Each change is one UPDATE.

A conditional UPDATE adds only what stays below the ceiling. So it is never passed,
however many people and workers spend at one moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest

from evalapp.spending.models import Budget

MILLION = 1_000_000  # parts of a currency's unit that a budget counts in


class Ceiling(NamedTuple):
    """The most that may be spent in a scope."""

    scope: str
    most: int


class OverBudget(Exception):
    """It would have passed this ceiling. Nothing was spent."""

    def __init__(self, ceiling: Ceiling, left: int) -> None:
        self.ceiling, self.left = ceiling, left
        super().__init__(f"{left} of {ceiling.most} left in {ceiling.scope}")

    @property
    def scope_name(self) -> str:
        """Whose ceiling, for people."""
        return "a study" if self.ceiling.scope.startswith("study ") else "a month"


def of_study(pk: int) -> str:
    return f"study {pk}"


def of_month(now: datetime) -> str:
    """By UTC, like all times that are stored."""
    return f"{now:%Y-%m}"


def ceilings(
    *, study: int, now: datetime, per_study: float, per_month: float, parts: int = 1
) -> list[Ceiling]:
    """Both of a purpose; `parts` that a unit has."""
    return [
        Ceiling(of_study(study), math.floor(parts * Decimal(str(per_study)))),
        Ceiling(of_month(now), math.floor(parts * Decimal(str(per_month)))),
    ]


def take(*, purpose: str, ceilings: Iterable[Ceiling], amount: int) -> None:
    """Spend it under all ceilings, or not at all.

    Raises:
        OverBudget: It would pass one of them.
    """
    with transaction.atomic():
        for ceiling in sorted(ceilings):  # in one order: nobody waits for each other
            row = _row(purpose, ceiling.scope)
            fits = row.filter(spent__lte=ceiling.most - amount)
            if not fits.update(spent=F("spent") + amount):
                left = max(0, ceiling.most - row.get().spent)
                raise OverBudget(ceiling, left)


def take_first(
    *, purpose: str, ceilings: Sequence[Ceiling], amounts: Sequence[int]
) -> int:
    """Spend as many of these, from the first, as the ceilings allow; return how many.

    Call it in a transaction in which nobody else spends for this purpose.
    """
    n = len(amounts)
    while n:
        try:
            take(purpose=purpose, ceilings=ceilings, amount=sum(amounts[:n]))
        except OverBudget as error:
            n -= 1
            while n and sum(amounts[:n]) > error.left:
                n -= 1
        else:
            return n
    return 0


def correct(*, purpose: str, scopes: Iterable[str], by: int) -> None:
    """Add what turned out to cost more, or take back (below 0) what was not spent."""
    if by:
        for scope in sorted(scopes):
            row = _row(purpose, scope)
            row.update(spent=Greatest(F("spent") + by, 0))


def spent(*, purpose: str, scope: str) -> int:
    row = Budget.objects.filter(purpose=purpose, scope=scope).first()
    return row.spent if row else 0


def _row(purpose: str, scope: str) -> QuerySet[Budget]:
    row, _ = Budget.objects.get_or_create(purpose=purpose, scope=scope)
    return Budget.objects.filter(pk=row.pk)
