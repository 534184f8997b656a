"""What every reader gives: segments with their marks, and what was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from scoring.stats.spans.marks import Mark, Marks

# "absent": the quoted words do not stand in the text. "ambiguous": they stand in it
# more than once, and nothing says where. "unclosed": a tag without its other half.
# "outside": offsets beyond the text. "shape": the entry lacks what it must have.
Code = Literal["absent", "ambiguous", "unclosed", "outside", "shape"]


class Refused(ValueError):
    """A mark that cannot be placed."""

    def __init__(self, code: Code, about: str) -> None:
        super().__init__(about)
        self.code: Code = code
        self.about = about


class Refusal(NamedTuple):
    """One of them, and where it stands in the file."""

    row: int  # from 1, without the header
    code: Code
    about: str  # the words, or the offsets


class Reading(NamedTuple):
    """Which text, and who has read it; "" = the file does not say."""

    system: str
    document: str
    segment: str
    rater: str  # or the metric
    source: str
    text: str


class Segment(NamedTuple):
    """One text as one rater or metric has read it."""

    of: Reading
    marks: Marks  # () = nothing was marked
    score: float | None = None  # that was given beside the marks


class Read(NamedTuple):
    """A file; a segment whose mark was refused is there without it."""

    segments: list[Segment]
    refusals: list[Refusal]


def placed(
    entries: Iterable[Any], place: Callable[[Any], Mark], row: int
) -> tuple[Marks, list[Refusal]]:
    """Place each of the entries; those that cannot be placed, apart."""
    marks, refusals = [], []
    for entry in entries:
        try:
            marks.append(place(entry))
        except Refused as refused:
            refusals.append(Refusal(row, refused.code, refused.about))
    return tuple(marks), refusals
