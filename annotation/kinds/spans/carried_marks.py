"""Marks in a text, in a copy of it of which some words were changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from annotation.kinds.edits.words import WORD
from annotation.kinds.spans.marks import TEXT, Placed


def carried(marks: Sequence[Placed], before: str, after: str) -> list[Placed]:
    """Marks whose words stand in both texts, where they stand in the second.

    They are those that lie in one run of words that `difflib` sees in both, letter by
    letter with what is between the words. Others are left out; marks of a source stay.

    >>> from scoring.stats.spans.marks import Mark
    >>> [placed] = carried([Placed(Mark(5, 8), "two")], "one, two", "so one, two")
    >>> placed.mark.start, placed.mark.end
    (8, 11)
    """
    old, new = list(WORD.finditer(before)), list(WORD.finditer(after))
    words = [match[0] for match in old], [match[0] for match in new]
    matcher = SequenceMatcher(None, *words, autojunk=False)
    runs = [
        (old[a].start(), old[a + n - 1].end(), new[b].start())
        for a, b, n in matcher.get_matching_blocks()
        if n
    ]
    moved = []
    for placed in marks:
        mark = placed.mark
        if mark.side != TEXT:
            moved.append(placed)
            continue
        for low, high, start in runs:
            by = start - low
            place = mark._replace(start=mark.start + by, end=mark.end + by)
            there = placed._replace(mark=place)
            if (
                low <= mark.start
                and mark.end <= high
                and there.stands_in({TEXT: after})
            ):
                moved.append(there)
                break
    return moved
