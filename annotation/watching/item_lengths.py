"""Characters that items have to read, counted by the database, which sends no text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Greatest, Left, Length
from django.db.models.lookups import Exact

from annotation.models import Item, Seat, Worker


def of_workers(workers: Sequence[Worker]) -> dict[int, int]:
    """Of each item on the pages that they submitted. One query."""
    seats = Seat.objects.filter(worker__in=workers, state__in=Seat.FINISHED)
    return of(Item.objects.filter(survey__in=seats.order_by().values("survey")))


def of(items: QuerySet[Item]) -> dict[int, int]:
    """Characters of each item. One query.

    A text counts behind the prefix of its page, which is there once. A pair counts in
    full: both texts, and what is shown beside them.
    """
    text = Coalesce("generation__text", "negative__text", "decoy__text")
    second = Coalesce("pair__second__text", "negative__text")
    page, pair = "survey__prompt__prefix", "pair__prompt__prefix"
    both = _behind(pair, F("pair__first__text")) + _behind(pair, second)
    both += 2 * Length(pair) + Length("pair__prompt__source")
    length = Case(
        When(pair__isnull=False, then=both),
        default=_behind(page, text),
        output_field=IntegerField(),
    )
    return dict(items.order_by().values_list("pk", length))


def _behind(prefix: str, text: Any) -> Case:
    """Characters of a full text behind its prefix, as `models.texts.full_text`.

    What does not begin with its prefix gets it, and a space.
    """
    length, begun = Length(text), Length(prefix)
    # `Left` refuses a length of 0, where every text begins with its prefix.
    begins = Q(**{prefix: ""}) | Q(
        Exact(Left(text, Greatest(begun, Value(1))), F(prefix))
    )
    return Case(When(begins, then=length - begun), default=length + 1)
