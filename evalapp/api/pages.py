from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

from evalapp.api.nearer_end import rows_between

if TYPE_CHECKING:  # which itself imports this file, by the settings
    from rest_framework.views import APIView


class Pages(LimitOffsetPagination):
    """`?limit=` of a hundred thousand texts would be built in memory all at once."""

    default_limit = 100
    max_limit = 1000

    def get_limit(self, request: Request) -> int:
        _refuse_unless_whole(request, "limit")
        limit: int = super().get_limit(request)  # None without a default only
        return limit

    def get_offset(self, request: Request) -> int:
        _refuse_unless_whole(request, "offset")
        # More than any database has, and no more than it can count.
        return min(int(super().get_offset(request)), 2**31)

    def paginate_queryset(
        self, queryset: QuerySet[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.request = request
        self.limit = self.get_limit(request)
        self.count = self.get_count(queryset)
        self.offset = self.get_offset(request)
        stop = self.offset + self.limit
        return list(rows_between(queryset, self.offset, stop, self.count))


def _refuse_unless_whole(request: Request, name: str) -> None:
    """Else `?offset=ten` would be answered with the first page."""
    for value in request.query_params.getlist(name):
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise ValidationError({name: "expected a whole number from 0"})
