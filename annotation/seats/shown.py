"""What a seat's page shows: fixed from the claim on, so it is read once and kept.

A page is asked for once and saves a dozen answers. Each process of the site keeps the
pages that it served last. Nothing kept is found under another study or seat: the names
are random.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from annotation.models import Aspect, Item, Seat, Study

MOST_PAGES = 256  # at most a few dozen megabytes, were all texts as long as they may be
MOST_STUDIES = 64
FRESH = 60  # seconds; an administrator may correct a question


class Shown(NamedTuple):
    """One text of a page."""

    item_id: int
    generation_id: int | None
    negative_id: int | None
    text: str


def texts(seat: Seat) -> tuple[Shown, ...]:
    """In the order shown. One query, or none."""
    return _texts(seat.public_id, tuple(seat.order))


def aspects(study: Study) -> tuple[Aspect, ...]:
    """What is asked about each text. One query, or none."""
    if study.state == Study.State.DRAFT:  # they may still change
        return tuple(study.aspects.all())
    return _aspects(study.public_id, int(time.monotonic() / FRESH))


@lru_cache(maxsize=MOST_PAGES)
def _texts(public_id: UUID, order: tuple[int, ...]) -> tuple[Shown, ...]:
    rows = Item.objects.filter(pk__in=order).values_list(
        *("pk", "generation_id", "negative_id"),
        *("generation__text", "negative__text"),
    )
    found = {
        pk: Shown(pk, generation, negative, real if damaged is None else damaged)
        for pk, generation, negative, real, damaged in rows
    }
    return tuple(found[pk] for pk in order)


@lru_cache(maxsize=MOST_STUDIES)
def _aspects(public_id: UUID, minute: int) -> tuple[Aspect, ...]:
    found = Aspect.objects.filter(study__public_id=public_id)
    return tuple(found.select_related("study"))  # its scale may be theirs
