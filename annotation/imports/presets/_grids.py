"""Grids of questions: the head of a column has what was asked, and the text. Pure.

Forms put both into one head: "Fluency [The lake froze over.]". Which of the two is the
text, the heads say together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from annotation.imports._account import Account, filled
from annotation.imports._names import ASPECTS
from annotation.imports._verbs import Part, Records
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, answer

FEWEST_WORDS = 4  # of a text in a head, on average
LONGEST_ASKED = 40  # characters: a whole sentence is no name of a question
_WORDS = re.compile(r"[^\W_]+")

Heads = Mapping[str, tuple[str, str]]  # both parts, by column


def parts(heads: Heads) -> dict[str, Part]:
    """Where each column goes; empty: no part of the heads is a text."""
    if len(heads) < 2:
        return {}
    place = _text(heads)
    if place is None:
        return {}
    return {
        column: Part(head[place].strip(), f"rating:{asked(head[1 - place])}")
        for column, head in heads.items()
    }


def _text(heads: Heads) -> int | None:
    """Which part is the text: the one with many words, of two such the one with more
    different ones, as many texts stand below one question."""
    sides = [[head[place] for head in heads.values()] for place in (0, 1)]
    words = [sum(len(one.split()) for one in side) / len(side) for side in sides]
    long = [place for place in (0, 1) if words[place] >= FEWEST_WORDS]
    if len(long) == 2:
        return max(long, key=lambda place: (len(set(sides[place])), words[place]))
    return long[0] if long else None


def asked(words: str) -> str:
    """What a question is called: its words, or the one quality that it names."""
    plain = " ".join(words.split()).rstrip(" :?.")
    named = list(ASPECTS.intersection(_WORDS.findall(plain.lower())))
    if len(plain) > LONGEST_ASKED and len(named) == 1:
        return named[0]
    return plain.replace(":", " ")


def ratings_only(records: Records, account: Account) -> Records:
    """Of the cells that are to be ratings those that can be."""
    for line, cells in records:
        found = {}
        for name, value in cells.items():
            if not name.startswith("rating:"):
                found[name] = value
            elif (rating := answer(value)) is not None:
                found[name] = rating
            elif filled(value):
                account.set_aside(name, words=IN_WORDS)
        yield Record(line, found)
