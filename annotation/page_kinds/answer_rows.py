"""The rows that hold what workers said on pages, of all kinds together."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db.models import Exists, Model, Q

from annotation import page_kinds
from annotation.models import Seat


def models() -> list[type[Model]]:
    """Each has a seat."""
    relations = {
        relation
        for kind in page_kinds.every()
        for relation in (kind.counting.answers, *kind.counting.beside)
    }
    return [
        Seat._meta.get_field(relation).related_model  # type: ignore[misc]
        for relation in sorted(relations)
    ]


def exist(**where: object) -> Q:
    """Whether anything was said where this holds."""
    conditions = (Exists(model._default_manager.filter(**where)) for model in models())
    return reduce(or_, map(Q, conditions))
