"""What a mark is: a stretch of a text, or a point where something is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, get_args

Side = Literal["text", "source"]
SIDES: tuple[Side, ...] = get_args(Side)


class Mark(NamedTuple):
    """One error that somebody marked.

    Offsets count code points of the stored text and are half-open: `text[start:end]` is
    what was marked. With `start == end` something is missing there, and the mark covers
    no character.
    """

    start: int
    end: int
    category: str = ""
    severity: str = ""
    side: Side = "text"

    @property
    def length(self) -> int:
        """Characters that it covers."""
        return self.end - self.start


# Of one text by one person or metric; () = it was read, and nothing was marked.
Marks = tuple[Mark, ...]


def check(marks: Iterable[Mark], lengths: Mapping[Side, int]) -> None:
    """Refuse marks that do not stand in their text.

    Args:
        marks: Of one text.
        lengths: Code points of each side that can be marked.

    Raises:
        ValueError: With the first mark that does not fit.

    >>> check([Mark(0, 4)], {"text": 3})
    Traceback (most recent call last):
    ...
    ValueError: expected 0 <= start <= end <= 3 on the side "text", got 0 and 4
    """
    for mark in marks:
        length = lengths.get(mark.side, 0)
        if not 0 <= mark.start <= mark.end <= length:
            raise ValueError(
                f'expected 0 <= start <= end <= {length} on the side "{mark.side}",'
                f" got {mark.start} and {mark.end}"
            )


def overlap(first: Mark, second: Mark) -> int:
    """Characters that two marks share; 0 on different sides, and of points."""
    if first.side != second.side:
        return 0
    return max(0, min(first.end, second.end) - max(first.start, second.start))
