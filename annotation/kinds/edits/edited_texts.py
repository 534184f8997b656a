"""How much a worker changed in the texts of a page, as quality control looks at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from annotation.kinds.edits import edit_drafts, words
from annotation.models import Edit, Seat
from annotation.models.texts import full_text


class EditedText(NamedTuple):
    """One text of a page."""

    is_damaged: bool
    changed: int  # words
    words: int  # of the correction


class Share(NamedTuple):
    """Over the real texts of a page together."""

    changed: int
    words: int

    @property
    def percent(self) -> float:
        """Changed words for each 100 of the corrections."""
        return 100 * self.changed / max(1, self.words)


def read(seats: Sequence[Seat]) -> dict[int, dict[int, EditedText]]:
    """By seat and item, of pages of corrections. One query."""
    rows = Edit.objects.filter(seat__in=[seat.pk for seat in seats])
    found: dict[int, dict[int, EditedText]] = defaultdict(dict)
    for seat, item, rest, prefix, real, damaged in rows.order_by("pk").values_list(
        *("seat_id", "item_id", "rest", "seat__survey__prompt__prefix"),
        *("item__generation__text", "item__negative__text"),
    ):
        text = full_text(prefix, real if damaged is None else damaged)
        before = edit_drafts.original(item, prefix, text)
        found[seat][item] = EditedText(
            damaged is not None,
            words.changed(before.rest, rest),
            len(words.words(rest)),
        )
    return found


def share(texts: Sequence[EditedText]) -> Share:
    """Over the real texts of a page."""
    real = [text for text in texts if not text.is_damaged]
    return Share(sum(one.changed for one in real), sum(one.words for one in real))
