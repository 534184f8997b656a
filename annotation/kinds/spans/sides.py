"""What of a page can be marked: its texts, and the source that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from annotation.kinds import _page_texts
from annotation.kinds.edits.words import WORD
from annotation.kinds.spans import marks, schemes
from annotation.kinds.spans.marks import SOURCE, TEXT
from annotation.kinds.spans.scheme import Scheme
from annotation.models import Prompt, Seat
from scoring.stats.spans.marks import Side as SideName


@dataclass(frozen=True)
class Side:
    """A text, or a source, as it is stored and as a page shows it."""

    name: SideName
    stored: str
    before: str = ""  # shown before it, and no part of it
    fixed: int = 0  # characters at its beginning, as shown, that are not to be marked

    @cached_property
    def shown(self) -> str:
        return marks.shown(self.stored)

    @cached_property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Start and end of each that can be marked, as shown."""
        places = (match.span() for match in WORD.finditer(self.shown))
        return tuple(place for place in places if place[0] >= self.fixed)


class MarkedUnit(NamedTuple):
    """What one position of a page asks to mark."""

    item_id: int
    sides: Mapping[SideName, Side]

    @property
    def shown(self) -> dict[str, str]:
        return {name: side.shown for name, side in self.sides.items()}

    @property
    def stored(self) -> dict[str, str]:
        return {name: side.stored for name, side in self.sides.items()}


def of_seat(seat: Seat) -> dict[int, MarkedUnit]:
    """By position. One query, or none."""
    scheme, prompt = schemes.of_study(seat.survey.study), seat.survey.prompt
    return {
        position: MarkedUnit(text.item_id, of_text(prompt, text.text, scheme))
        for position, text in enumerate(_page_texts.of_seat(seat), start=1)
    }


def of_text(prompt: Prompt, text: str, scheme: Scheme) -> dict[SideName, Side]:
    """An opening stands before a text, or is its beginning in its own spelling."""
    cut = marks.opening(prompt.prefix, text)
    before = f"{prompt.prefix} " if prompt.prefix and not cut else ""
    fixed = 0 if scheme.opening else len(marks.shown(text[:cut]))
    sides: dict[SideName, Side] = {TEXT: Side(TEXT, text, before, fixed)}
    if scheme.source and prompt.source:
        sides[SOURCE] = Side(SOURCE, prompt.source)
    return sides
