"""Cards of a page of dialogues, put into the conversations that they are about."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from annotation.seats.shown import Shown

if TYPE_CHECKING:
    from annotation.crowd.forms.pages import Card, Row


@dataclass(frozen=True, slots=True)
class Line:
    """One turn as it is shown."""

    number: int  # from 1
    speaker: str
    text: str
    is_asked: bool  # its questions follow


@dataclass(frozen=True, slots=True)
class Part:
    """Turns up to one with questions, or those behind the last one."""

    lines: tuple[Line, ...]
    card: Card | None  # None: nobody asks anything here
    title: str = ""  # of the questions

    @property
    def start(self) -> int:
        return self.lines[0].number if self.lines else 1


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation with its questions."""

    letter: str
    parts: tuple[Part, ...]
    text: str = ""  # turns are short: no page of them is laid out for a long text

    @property
    def rows(self) -> list[Row]:
        """All that is asked about it."""
        return [row for part in self.parts if part.card for row in part.card.rows]


def letters(texts: Sequence[Shown]) -> list[str]:
    """What each item of a page of dialogues is called in addresses: A4; A0 is all."""
    found: list[str] = []
    known: dict[tuple[bool, int], str] = {}
    for one in texts:
        assert one.said is not None
        letter = known.setdefault(one.said.talk, string.ascii_uppercase[len(known)])
        found.append(f"{letter}{0 if one.said.turn is None else _number(one)}")
    return found


def name_of(one: Shown, letter: str) -> str:
    """What it is called in words."""
    assert one.said is not None
    told = {"letter": letter[0], "number": _number(one)}
    if one.said.is_whole:
        return gettext("Dialogue %(letter)s as a whole") % told
    return gettext("Dialogue %(letter)s, turn %(number)s") % told


def characters(texts: Sequence[Shown]) -> int:
    """To read on the page: each conversation once."""
    said = {one.said.talk: one.said.text for one in texts if one.said}
    return sum(map(len, said.values()))


def talks(texts: Sequence[Shown], cards: Sequence[Card]) -> list[Talk]:
    """The conversations of a page, in its order."""
    both = list(zip(texts, cards, strict=True))
    found = []
    for _, some in groupby(both, lambda pair: pair[0].said and pair[0].said.talk):
        pairs = list(some)
        found.append(Talk(pairs[0][1].letter[0], tuple(_parts(pairs))))
    return found


def _parts(pairs: Sequence[tuple[Shown, Card]]) -> list[Part]:
    said = pairs[0][0].said
    assert said is not None
    lines = [
        Line(number, turn.speaker, turn.text, is_asked=False)
        for number, turn in enumerate(said.turns, start=1)
    ]
    found, done = [], 0
    whole: Card | None = None
    for one, card in pairs:
        assert one.said is not None
        if one.said.turn is None:
            whole = card
            continue
        number = _number(one)
        asked = Line(number, lines[number - 1].speaker, lines[number - 1].text, True)
        title = gettext("Turn %(number)s") % {"number": number}
        found.append(Part((*lines[done : number - 1], asked), card, title))
        done = number
    if whole is not None or done < len(lines):
        found.append(Part(tuple(lines[done:]), whole, gettext("The whole dialogue")))
    return found


def _number(one: Shown) -> int:
    assert one.said is not None
    return (one.said.turn or 0) + 1
