"""Marks in a text, in a copy of it of which some words were changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from annotation.kinds.edits.words import WORD
from annotation.kinds.spans.marks import TEXT, Placed


def carried(marks: Sequence[Placed], before: str, after: str) -> list[Placed]:
    """Marks whose words stand in both texts, where they stand in the second.

    They are those that lie in one run of words that `difflib` sees in both, letter by
    letter with what is between the words, and not on the word beside a change: there
    they would point at what is gone. Others are left out; marks of a source stay.

    >>> from scoring.stats.spans.marks import Mark
    >>> [placed] = carried([Placed(Mark(5, 8), "two")], "one, two", "so one, two")
    >>> placed.mark.start, placed.mark.end
    (8, 11)
    """
    runs = _runs(before, after)
    moved = []
    for placed in marks:
        mark = placed.mark
        if mark.side != TEXT:
            moved.append(placed)
        for low, high, by in runs if mark.side == TEXT else ():
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


def _runs(before: str, after: str) -> list[tuple[int, int, int]]:
    """Where marks can stand in the first text, and how far they move."""
    old, new = list(WORD.finditer(before)), list(WORD.finditer(after))
    words = [match[0] for match in old], [match[0] for match in new]
    blocks = SequenceMatcher(None, *words, autojunk=False).get_matching_blocks()
    runs = []
    for a, b, n in blocks:
        if not n:
            continue
        is_first, is_last = a == b == 0, a + n == len(old) and b + n == len(new)
        low = 0 if is_first else old[a].end() + 1
        high = len(before) if is_last else old[a + n - 1].start() - 1
        runs.append((low, high, new[b].start() - old[a].start()))
    return runs
