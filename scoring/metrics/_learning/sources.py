"""What a checkpoint reads of a source: what the text answers, such as a dialogue.

Source and text are two parts of one input. Of a long source the end is kept, because a
response answers what was said last. It takes up at most half of the room, so that the
same part of it stands before any text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotation.perturbations import _text
from scoring.metrics._engine.base import option

if TYPE_CHECKING:
    from scoring.metrics._learning.heads import Tokens

COLUMN = "source"  # of the corpus that is learned from
TEXT, SOURCE = "text", "source"
NO_SOURCE = "the text has no source, which the checkpoint reads"
NOT_READ = (
    "Some texts have a source, but the checkpoint does not read it: the same text gets"
    " the same score after any source. To change this, train with reads=source."
)
CUT = (
    "Some sources take up more than half of what the checkpoint reads: their end was"
    " read."
)


def reads_option() -> Any:
    """Of a training whose checkpoint may read sources."""
    return option(
        TEXT,
        "what the checkpoint reads: the text alone, or also the source that it answers,"
        " such as a dialogue; the corpus then needs a column named source",
        (TEXT, SOURCE),
        label="What is read",
        titles=("the text alone", "the text and its source"),
    )


def recent(source: str, tokens: Tokens) -> str:
    """The last sentences of a source that fit; of a longer sentence its last words."""
    # Without a mark between two parts, the line break shows where the text begins.
    end = "" if tokens.marks_parts else "\n"
    room = tokens.room(parts=2) // 2
    source = source.strip()

    def fits(start: int) -> bool:
        return tokens.count(source[start:] + end) <= room

    sentences = [start for start, _ in _text.spans(source)]
    words = [
        k
        for k, letter in enumerate(source)
        if not letter.isspace() and (k == 0 or source[k - 1].isspace())
    ]
    for starts in (sentences, words):
        # The earliest that fits: what begins later is shorter.
        low, high = 0, len(starts)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(starts[middle]) else (middle + 1, high)
        if low < len(starts):
            return source[starts[low] :] + end
    return end
