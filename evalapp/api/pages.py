from __future__ import annotations

from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """`?limit=` of a hundred thousand texts would be built in memory all at once."""

    default_limit = 100
    max_limit = 1000
