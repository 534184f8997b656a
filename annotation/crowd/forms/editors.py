"""A text that a worker corrects: what its field shows, and what a form brings of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from annotation import storable
from annotation.edits import keeping, words
from annotation.edits.keeping import Draft, Original, Sent
from annotation.models import Seat
from annotation.seats import shown

TICKED, NOT_TICKED = "1", "0"
SAID = {TICKED: True, NOT_TICKED: False}
# Rows of the field, where the browser does not fit it to its text.
PER_ROW, FEWEST_ROWS, MOST_ROWS = 70, 4, 24


@dataclass(frozen=True, slots=True)
class Editor:
    """The field of one text."""

    position: int
    letter: str
    original: Original
    draft: Draft

    is_of_pair = False

    @property
    def name(self) -> str:
        """Of its place on the page."""
        return f"edit-{self.position}"

    @property
    def field(self) -> str:
        return field_name(self.position)

    @property
    def tick(self) -> str:
        return tick_name(self.position)

    @property
    def question(self) -> str:
        return gettext("Correct the text, or tick “Nothing to correct”")

    @property
    def answered(self) -> bool:
        return self.draft.is_answer(self.original)

    @property
    def n_changed(self) -> int:
        return words.changed(self.original.rest, self.draft.rest)

    @property
    def n_rows(self) -> int:
        lines = self.draft.rest.split("\n")
        rows = sum(1 + len(line) // PER_ROW for line in lines)
        return min(max(rows, FEWEST_ROWS), MOST_ROWS)


def field_name(position: int) -> str:
    return f"e-{position}"


def tick_name(position: int) -> str:
    return f"u-{position}"


def editors(seat: Seat, letters: list[str]) -> list[Editor]:
    """Of all texts of a page. Two queries, or one."""
    drafts = keeping.drafts(seat)
    return [
        Editor(
            position=position,
            letter=letters[position - 1],
            original=one,
            draft=drafts.get(one.item_id, Draft(one.rest, False)),
        )
        for position, one in shown.originals(seat).items()
    ]


def given(seat: Seat, data: Mapping[str, str]) -> dict[int, Sent]:
    """By position, what the form says of a text. Too long a text stays as it is."""
    found = {}
    for position in range(1, len(seat.order) + 1):
        text = data.get(field_name(position))
        sent = Sent(
            text=None if text is None else keeping.plain(storable.cleaned(text)),
            unchanged=SAID.get(data.get(tick_name(position), "")),
        )
        if sent != Sent():
            found[position] = sent
    return found
