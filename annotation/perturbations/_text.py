"""Sentences, and the white space around them that must not give a change away."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation import sentences

_FINISHED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")


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


def join(found: Sequence[str], gaps: Sequence[str]) -> str:
    pairs = zip(gaps, [*found, ""], strict=True)
    return "".join(gap + sentence for gap, sentence in pairs)


def n_finished(found: Sequence[str]) -> int:
    """How many sentences may move: a cut-off one would show in any other place."""
    cut_off = bool(found) and not _FINISHED.search(found[-1])
    return len(found) - cut_off


def end_of_sentence(text: str, position: int) -> int:
    """Where the sentence ends that the character before `position` belongs to."""
    found, gaps = split(text)
    end = 0
    for gap, sentence in zip(gaps, found, strict=False):
        end += len(gap) + len(sentence)
        if end >= position:
            break
    return max(end, position)


def changed(before: str, after: str) -> str | None:
    return after if after != before else None
