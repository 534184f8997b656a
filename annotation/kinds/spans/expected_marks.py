"""Marks of a worker beside those that a researcher expects in a practice text. Pure.

A text is marked as expected where all of this holds:

- Marks cover at least half of the characters of each expected mark, on its side. Where
  something is missing, a mark is there or on a word beside it.
- At most `MOST_EXTRA` marks touch no expected one.
- At most half of the other characters of the text are marked: nobody passes who marks
  everything.

Another category or severity than expected is shown, and fails nobody: careful readers
differ on it more than on the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotation.kinds.edits.words import WORD
from annotation.kinds.spans.marks import TEXT, Placed
from scoring.stats.spans.marks import Mark

MOST_EXTRA = 1
SHARE = 0.5  # of an expected mark that is covered at least, of the rest at most


class Met(NamedTuple):
    """An expected mark, and what was marked there."""

    expected: Placed
    is_met: bool
    as_other: Mark | None  # marked here, of another category or severity


class Compared(NamedTuple):
    expected: Sequence[Met]
    extra: Sequence[Placed]  # touch no expected mark
    marks_too_much: bool

    @property
    def is_met(self) -> bool:
        return (
            all(mark.is_met for mark in self.expected)
            and len(self.extra) <= MOST_EXTRA
            and not self.marks_too_much
        )


def compared(
    marks: Sequence[Placed], expected: Sequence[Placed], texts: Mapping[str, str]
) -> Compared:
    """Compare the marks in a text with those that are expected there.

    Args:
        marks: Of the worker, with offsets as the page counts.
        expected: Of the researcher, likewise.
        texts: By side, as shown.
    """
    return Compared(
        expected=[_met(target, marks, texts) for target in expected],
        extra=[
            placed
            for placed in marks
            if not any(_touch(placed.mark, target.mark, texts) for target in expected)
        ],
        marks_too_much=_marks_too_much(marks, expected, texts[TEXT]),
    )


def _met(target: Placed, marks: Sequence[Placed], texts: Mapping[str, str]) -> Met:
    here = [placed.mark for placed in marks if _touch(placed.mark, target.mark, texts)]
    place = _characters(target.mark)
    covered = place & {at for mark in here for at in _characters(mark)}
    is_met = len(covered) >= SHARE * len(place) if place else bool(here)
    kind = target.mark.category, target.mark.severity
    others = [mark for mark in here if (mark.category, mark.severity) != kind]
    return Met(target, is_met, others[0] if len(others) == len(here) and here else None)


def _touch(mark: Mark, target: Mark, texts: Mapping[str, str]) -> bool:
    """Whether they share a character, or one stands beside what the other misses."""
    if mark.side != target.side:
        return False
    if target.start == target.end or mark.start == mark.end:
        low, high = _beside(target, texts[target.side])
        return mark.start <= high and low <= mark.end
    return mark.start < target.end and target.start < mark.end


def _beside(target: Mark, text: str) -> tuple[int, int]:
    """A place with the words before and behind it."""
    words = [match.span() for match in WORD.finditer(text)]
    low = max((start for start, _ in words if start < target.start), default=0)
    high = min((end for _, end in words if end > target.end), default=len(text))
    return low, high


def _marks_too_much(
    marks: Sequence[Placed], expected: Sequence[Placed], text: str
) -> bool:
    def covered(of: Sequence[Placed]) -> set[int]:
        return {
            at
            for placed in of
            if placed.mark.side == TEXT
            for at in _characters(placed.mark)
        }

    rest = set(range(len(text))) - covered(expected)
    return len(covered(marks) & rest) > SHARE * len(rest)


def _characters(mark: Mark) -> set[int]:
    return set(range(mark.start, mark.end))
