"""Which part of a text Generative CDM removes (Lu et al. 2024, algorithm 1, line 7).

A text is cut behind the last sentence that leaves room for what will be put in. Of what
remains, the candidates are its sentences but for the last two, or all runs of so many
words. One of them is removed: any, or the one that tells most, with the largest

    sum over its tokens of -log p_a(s_t | s_<t),    in nats,

under the amateur. The paper says "randomly or strategically" and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from annotation.perturbations import _text

NO_ROOM = "its first sentence is too long"
NO_SEGMENT = "no segment can be removed without emptying the text"

Place = tuple[int, int]
Counter = Callable[[Sequence[str]], list[int]]  # tokens of each text

_WORD = re.compile(r"\w+(?:['’\-]\w+)*")


class Segment(NamedTuple):
    """`text[start:end]` is removed from `text[:cut]`. Neither end of it is a space."""

    start: int
    end: int
    cut: int


class Room(NamedTuple):
    """How much may be read and removed, in tokens."""

    text: int
    segment: int


class Choice(NamedTuple):
    """Candidates of one text, in order."""

    places: list[Place]
    cut: int


def choices(
    texts: Sequence[str], room: Room, count: Counter, *, words: int
) -> list[Choice | str]:
    """What could be removed from each text, or why nothing can.

    Args:
        texts: They may be empty.
        room: Longer texts are cut; longer segments are none.
        count: Tokens of each of some texts.
        words: Of a segment; 0: it is a sentence.
    """
    places = [_text.spans(text) for text in texts]
    pieces = [
        text[start:end]
        for text, found in zip(texts, places, strict=True)
        for start, end in found
    ]
    sizes = iter(count(pieces))
    found: list[Choice | str] = []
    for text, spans in zip(texts, places, strict=True):
        own = [next(sizes) for _ in spans]
        kept = int((np.cumsum(own) <= room.text).sum())
        found.append(_choice(text, spans[:kept], own, room, words))
    return found


def drawn(choice: Choice, rng: np.random.Generator) -> Segment:
    """Any candidate."""
    place = int(rng.integers(len(choice.places)))
    return Segment(*choice.places[place], choice.cut)


def telling(choice: Choice, ends: np.ndarray, surprise: np.ndarray) -> Segment:
    """The candidate that tells most; the first of those that tell the same.

    Args:
        choice: Candidates.
        ends: Where each token of the text ends, (tokens,).
        surprise: -log p of each token in nats, (tokens,).
    """
    told = [
        surprise[(start < ends) & (ends <= end)].sum() for start, end in choice.places
    ]
    return Segment(*choice.places[int(np.argmax(told))], choice.cut)


def _choice(
    text: str, spans: list[Place], sizes: list[int], room: Room, words: int
) -> Choice | str:
    if not spans:
        return NO_ROOM if sizes else NO_SEGMENT
    cut = spans[-1][1]
    if words:
        places = _runs(text[:cut], words)
    else:
        places = [
            place
            for place, size in zip(_followed(spans), sizes, strict=False)
            if size <= room.segment
        ]
    return Choice(places, cut) if places else NO_SEGMENT


def _followed(spans: list[Place]) -> list[Place]:
    """Those with two behind them, or one: lengths are matched by ending sooner."""
    return spans[: max(1, len(spans) - 2)] if len(spans) > 1 else []


def _runs(text: str, words: int) -> list[Place]:
    """All runs of so many words; none where these are all the words there are."""
    found = [match.span() for match in _WORD.finditer(text)]
    if len(found) <= words:
        return []
    return [
        (found[k][0], found[k + words - 1][1]) for k in range(len(found) - words + 1)
    ]
