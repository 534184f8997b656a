"""A page of many rows, read from the end that is nearer.

A database walks over all rows before a page: the last page of a million rows would
take longest, and people do ask for it.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)

# Fewer rows are walked over in no time, so they may be in an order that has ties.
FEW = 10_000


def rows_between(
    rows: QuerySet[Row, Any], start: int, stop: int, total: int
) -> QuerySet[Row, Any] | list[Any]:
    """`rows[start:stop]`, of which there are `total`.

    Args:
        rows: In an order without ties, where there are many.
        start, stop: As of a slice.
        total: As counted just before.
    """
    stop = min(stop, total)
    nearer = start < total - stop or not rows.ordered
    if total <= FEW or nearer or start >= stop:
        return rows[start:stop]
    return list(rows.reverse()[total - stop : total - start])[::-1]


class FromNearerEnd(Paginator):  # type: ignore[type-arg]
    """Of a query set, or of any list."""

    def page(self, number: int | str) -> Page:  # type: ignore[type-arg]
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return super().page(number)
        place = self.validate_number(number)
        start = (place - 1) * self.per_page
        shown = rows_between(rows, start, start + self.per_page, self.count)
        return Page(shown, place, self)
