"""Conditions on the items of pages, of all kinds together."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet

from annotation import page_kinds
from annotation.models import Generation


def shown(prefix: str = "") -> Q:
    """Items that new pages show: what is excluded stays off them.

    Args:
        prefix: The way to items from what is asked for, such as "survey__items__".
    """
    return Q(**{f"{prefix}{text}__excluded_at": None for text in _texts()})


def counted(prefix: str = "") -> Q:
    """Items whose answers count: no damaged texts, nor what goes with them."""
    uncounted = {
        name for kind in page_kinds.every() for name in kind.counting.uncounted
    }
    return Q(**{f"{prefix}{name}": None for name in sorted({"negative", *uncounted})})


def has_one_of(texts: QuerySet[Generation]) -> Q:
    condition = Q()
    for name in _texts():
        condition |= Q(**{f"{name}__in": texts})
    return condition


def _texts() -> Collection[str]:
    names = {name for kind in page_kinds.every() for name in kind.counting.texts}
    return sorted(names)
