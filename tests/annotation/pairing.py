"""What the tests of pages with pairs share: a study of them, and pages filled in."""

from __future__ import annotations

from datetime import datetime

from annotation import answering, surveys
from annotation.models import Item, Seat, Study, comparing
from tests.annotation.seating import NOON

# As workers press them, from the left.
MUCH_A, A, SAME, B, MUCH_B = sorted(comparing.IN_WORDS)
Answers = dict[tuple[int, str], int | None]


def open_pairs(study: Study, *, kinds: tuple[str, ...] = ("pair",), **fields):
    """Draw pages of these kinds, and let workers in."""
    for name, value in {"page_kinds": list(kinds), **fields}.items():
        setattr(study, name, value)
    study.save()
    surveys.open_study(study=study)
    study.refresh_from_db()
    return study


def choices(seat: Seat, *, real: int = SAME, first: int | None = None) -> Answers:
    """A complete page of a careful person, as pressed.

    Args:
        seat: On a page of pairs.
        real: The answer on every pair that is no check, from the left.
        first: Instead of it, an answer from the first text of each pair.
    """
    return _page(seat, real, first, hidden=comparing.FIRST)


def careless_choices(seat: Seat, *, real: int = SAME) -> Answers:
    """The same, but the damaged twin is better."""
    return _page(seat, real, None, hidden=comparing.SECOND)


def _page(seat: Seat, real: int, first: int | None, hidden: int) -> Answers:
    twins = set(
        Item.objects.filter(pk__in=seat.order, pair__second=None).values_list(
            "pk", flat=True
        )
    )
    found: Answers = {}
    for position, item in enumerate(seat.order, start=1):
        flipped = item in seat.flipped
        stored = hidden if item in twins else first
        value = real if stored is None else comparing.seen(stored, flipped=flipped)
        for key in seat.survey.study.aspects.values_list("key", flat=True):
            found[position, key] = value
    return found


def compare(
    seat: Seat, *, real: int = SAME, first: int | None = None, now: datetime = NOON
) -> Seat:
    """Hand a page in with care."""
    answers = choices(seat, real=real, first=first)
    return answering.submit(seat=seat, answers=answers, now=now)
