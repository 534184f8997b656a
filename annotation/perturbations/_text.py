"""Sentences, and the white space around them that must not give a change away."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from annotation import sentences

Place = tuple[int, int]  # start and end within a text

_FINISHED = re.compile(r"[.!?…。！？؟۔।॥][\"'”’»)\]」』）】》]*$")


def split(text: str) -> tuple[list[str], list[str]]:
    """N sentences, and the n + 1 gaps before, between and behind them.

    Put together in turn they are the text again, whatever white space it has.
    """
    found: list[str] = []
    gaps: list[str] = []
    end = 0
    for sentence in map(str.strip, sentences.split(text)):
        start = text.find(sentence, end)
        if start < 0:
            raise ValueError(f"not a sentence of the text: {sentence!r}")
        gaps.append(text[end:start])
        found.append(sentence)
        end = start + len(sentence)
    return found, [*gaps, text[end:]]


def spans(text: str) -> list[Place]:
    """Where each sentence stands."""
    found, gaps = split(text)
    places, end = [], 0
    for gap, sentence in zip(gaps, found, strict=False):
        start = end + len(gap)
        end = start + len(sentence)
        places.append((start, end))
    return places


def join(found: Sequence[str], gaps: Sequence[str]) -> str:
    pairs = zip(gaps, [*found, ""], strict=True)
    return "".join(gap + sentence for gap, sentence in pairs)


def n_finished(found: Sequence[str]) -> int:
    """How many sentences may move: a cut-off one would show in any other place."""
    return len(found) - (bool(found) and is_cut_off(found[-1]))


def is_cut_off(text: str) -> bool:
    """Whether its last sentence breaks off."""
    return not _FINISHED.search(text.rstrip())


def end_of_sentence(text: str, position: int) -> int:
    """Where the sentence ends that the character before `position` belongs to."""
    found, gaps = split(text)
    end = 0
    for gap, sentence in zip(gaps, found, strict=False):
        end += len(gap) + len(sentence)
        if end >= position:
            break
    return max(end, position)


def replaced(text: str, new: Mapping[Place, str]) -> str:
    """The text with other words at some places, which do not overlap."""
    parts, end = [], 0
    for place in sorted(new):
        parts += [text[end : place[0]], new[place]]
        end = place[1]
    return "".join([*parts, text[end:]])


def exchanged(text: str, pairs: Sequence[tuple[Place, Place]]) -> str:
    """The text with the contents of the two places of each pair exchanged."""
    new = {}
    for one, other in pairs:
        new[one], new[other] = text[slice(*other)], text[slice(*one)]
    return replaced(text, new)


def changed(before: str, after: str) -> str | None:
    return after if after != before else None
