"""What is kept of a text that someone corrects: drafts while they type, and the end.

A correction is kept as a whole text. Its opening, which was given to the system, is not
the worker's to change: their field holds what follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from annotation.models import Edit, Seat

CORRECTED = "corrected"  # what a page asks for at each position
ROOM = 2000  # characters that may be added, whatever the length of the text


class Sent(NamedTuple):
    """What a form says of one text; None: it says nothing of it."""

    text: str | None = None  # what follows the opening
    unchanged: bool | None = None  # "nothing to correct"


class Original(NamedTuple):
    """The text that someone is to correct."""

    item_id: int
    opening: str  # shown, but not to be changed
    rest: str  # as it stands in the field

    @property
    def text(self) -> str:
        return self.opening + self.rest

    @property
    def most(self) -> int:
        """Characters that the field may hold."""
        return 2 * len(self.rest) + ROOM


class Draft(NamedTuple):
    """How far one text is."""

    rest: str
    unchanged: bool

    def is_answer(self, original: Original) -> bool:
        """Whether it says something: a correction, or that there is none to make."""
        if self.rest == original.rest:
            return self.unchanged
        return bool(self.rest.strip())


def original(item_id: int, opening: str, text: str) -> Original:
    """Of a text with its opening, as a page shows both."""
    shown = plain(text)
    opening = plain(opening)
    if not (opening and shown.startswith(opening)):
        return Original(item_id, "", shown)
    # The space behind the opening is not the worker's to think of.
    rest = shown[len(opening) :].lstrip()
    return Original(item_id, shown[: len(shown) - len(rest)], rest)


def plain(text: str) -> str:
    """With the line ends that a form's field has."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def problem(original: Original, sent: Sent) -> bool:
    """Whether it is longer than a correction can be."""
    return sent.text is not None and len(sent.text) > original.most


def drafts(seat: Seat) -> dict[int, Draft]:
    """By item. One query."""
    rows = Edit.objects.filter(seat=seat).values_list("item_id", "rest", "unchanged")
    return {item: Draft(rest, unchanged) for item, rest, unchanged in rows}


def store(
    *,
    seat: Seat,
    sent: Mapping[int, Sent],
    originals: Mapping[int, Original],
    now: datetime,
) -> None:
    """Keep what came; what a form does not mention stays. By position on the page.

    A text that was changed wins over a tick that says it was not. Call it where the
    seat is locked.
    """
    if not sent:
        return
    before = drafts(seat)
    rows = []
    for position, one in sent.items():
        own = originals[position]
        old = before.get(own.item_id, Draft(own.rest, False))
        rest = old.rest if one.text is None else one.text
        ticked = old.unchanged and one.text is None
        ticked = ticked if one.unchanged is None else one.unchanged
        rows.append(
            Edit(
                seat=seat,
                item_id=own.item_id,
                opening=own.opening,
                rest=rest,
                unchanged=ticked and rest == own.rest,
                updated_at=now,
            )
        )
    Edit.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["seat", "item"],
        update_fields=["opening", "rest", "unchanged", "updated_at"],
    )
