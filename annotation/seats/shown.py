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

from annotation.edits import keeping
from annotation.edits.keeping import Original
from annotation.models import Aspect, Item, PageKind, Seat, Study
from annotation.models.texts import full_text
from annotation.seats import talks
from annotation.seats.talks import Said

MOST_PAGES = 256  # at most a few dozen megabytes, were all texts as long as they may be
MOST_STUDIES = 64
FRESH = 60  # seconds; an administrator may correct a question


class Sides(NamedTuple):
    """Two texts side by side, in full, and what they were written for."""

    pair_id: int
    left: str
    right: str
    prefix: str
    label: str
    source: str


class Shown(NamedTuple):
    """What one number of a page stands for: a text, a pair of them, a turn of a
    dialogue, or all of one."""

    item_id: int
    generation_id: int | None
    negative_id: int | None
    text: str  # empty for a pair
    sides: Sides | None = None
    decoy_id: int | None = None
    said: Said | None = None

    def is_asked(self, aspect: Aspect) -> bool:
        """Whether the question is about such a thing."""
        is_whole = self.said is not None and self.said.is_whole
        return aspect.is_of_dialogue == is_whole


def texts(seat: Seat) -> tuple[Shown, ...]:
    """In the order shown. One query, or none."""
    if seat.survey.kind == PageKind.DIALOGUE:
        return _turns(seat.public_id, tuple(seat.order))
    return _texts(seat.public_id, tuple(seat.order), frozenset(seat.flipped))


def originals(seat: Seat) -> dict[int, Original]:
    """The texts that a page asks to correct, by position. No query after `texts`."""
    prefix = seat.survey.prompt.prefix
    return {
        position: keeping.original(one.item_id, prefix, full_text(prefix, one.text))
        for position, one in enumerate(texts(seat), start=1)
    }


def aspects(study: Study) -> tuple[Aspect, ...]:
    """What is asked about each text. One query, or none."""
    if study.state == Study.State.DRAFT:  # they may still change
        return tuple(study.aspects.all())
    return _aspects(study.public_id, int(time.monotonic() / FRESH))


def shown_of(item: Item, *, flipped: bool) -> Shown:
    """An item as it stands on a page; what it shows has been read with it."""
    pair = item.pair
    if pair is None:
        return Shown(item.pk, item.generation_id, item.negative_id, item.text)
    left, right = reversed(sides(item)) if flipped else sides(item)
    prompt = pair.prompt
    label = prompt.label.name if prompt.label else ""
    beside = Sides(pair.pk, left, right, prompt.prefix, label, prompt.source)
    return Shown(item.pk, None, item.negative_id, "", beside)


def sides(item: Item) -> tuple[str, str]:
    """Both texts of a pair in full, the first one first."""
    assert item.pair is not None
    second = item.pair.second or item.negative
    assert second is not None  # a pair without a second text has the negative
    prefix = item.pair.prompt.prefix
    return full_text(prefix, item.pair.first.text), full_text(prefix, second.text)


@lru_cache(maxsize=MOST_PAGES)
def _texts(
    public_id: UUID, order: tuple[int, ...], flipped: frozenset[int]
) -> tuple[Shown, ...]:
    rows = Item.objects.filter(pk__in=order).select_related(
        *("generation", "negative", "pair__prompt__label"),
        *("pair__first", "pair__second"),
    )
    found = {row.pk: shown_of(row, flipped=row.pk in flipped) for row in rows}
    return tuple(found[pk] for pk in order)


@lru_cache(maxsize=MOST_PAGES)
def _turns(public_id: UUID, order: tuple[int, ...]) -> tuple[Shown, ...]:
    rows = list(Item.objects.filter(pk__in=order).select_related(*talks.READ))
    said = talks.of_survey(rows)
    found = {
        row.pk: Shown(
            *(row.pk, row.generation_id, row.negative_id, row.text),
            decoy_id=row.decoy_id,
            said=said[row.pk],
        )
        for row in rows
    }
    return tuple(found[pk] for pk in order)


@lru_cache(maxsize=MOST_STUDIES)
def _aspects(public_id: UUID, minute: int) -> tuple[Aspect, ...]:
    found = Aspect.objects.filter(study__public_id=public_id)
    return tuple(found.select_related("study"))  # its scale may be theirs
