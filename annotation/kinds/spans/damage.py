"""Where a damaged text was damaged, and whether marks point at it. Pure.

The damage is known to the word: words that the undamaged text has not at this place, in
the fewest changes that `difflib` sees, and places where words of it are gone. Marks are
right where they cover of the damage a larger share than of the rest:

    hit = share of the damaged words that are marked
          - share of the other words that are marked,

from -1 to 1. Who marks nothing and who marks everything get 0, unless all of the text
is damage. A place where words are gone is marked by a mark on it, or on a word beside
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from annotation.kinds.edits.words import WORD
from scoring.stats.spans.marks import Mark

SPAN = 10  # words: someone who marks by chance marks no more


class Damage(NamedTuple):
    """Of a text, in words."""

    places: tuple[tuple[int, int], ...]  # of each word: start and end, in code points
    words: tuple[int, ...]  # numbers of the damaged ones, from 0
    gaps: tuple[int, ...]  # numbers of the words before which some are gone

    @property
    def n(self) -> int:
        return len(self.words) + len(self.gaps)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Start and end of damaged words that stand together; equal where some are
        gone. In the order of the text."""
        spans: list[tuple[int, int]] = []
        for number in self.words:
            start, end = self.places[number]
            if spans and number - 1 in self.words:
                start = spans.pop()[0]
            spans.append((start, end))
        ends = [start for start, _ in self.places] + [
            end for _, end in self.places[-1:]
        ]
        return sorted([*spans, *((ends[gap], ends[gap]) for gap in self.gaps)])


def find(before: str, after: str, start: int = 0) -> Damage:
    """What was done to a text.

    Args:
        before: The undamaged text.
        after: The damaged one, whose offsets are returned.
        start: Code points of it that are the opening, and never damaged.
    """
    old = WORD.findall(before)
    new = list(WORD.finditer(after))
    matcher = SequenceMatcher(None, old, [match[0] for match in new], autojunk=False)
    words: list[int] = []
    gaps: list[int] = []
    for kind, _, _, low, high in matcher.get_opcodes():
        if kind in ("replace", "insert"):
            words += range(low, high)
        elif kind == "delete":
            gaps.append(low)
    places = tuple(match.span() for match in new)
    free = [n for n, (at, _) in enumerate(places) if at >= start]
    first = free[0] if free else len(places)
    return Damage(
        places,
        tuple(n for n in words if n >= first),
        tuple(n for n in gaps if n >= first),
    )


def hit(damage: Damage, marks: Sequence[Mark]) -> float:
    """From -1 to 1; 0 where nothing was damaged."""
    marked = _marked(damage, marks)
    points = {n for mark in marks for n in _near(damage, mark)}
    if not damage.n:
        return 0.0
    right = sum(n in marked for n in damage.words)
    right += sum(gap in points for gap in damage.gaps)
    beside = {n for gap in damage.gaps for n in (gap - 1, gap)}
    rest = set(range(len(damage.places))) - set(damage.words) - beside
    wrong = len(marked & rest) / len(rest) if rest else 0.0
    return right / damage.n - wrong


def by_chance(damage: Damage, share: float, first: int = 0) -> float:
    """How likely one mark by chance is right: every span of 1 to `SPAN` words of the
    text is counted, each as likely as the others. NaN without words.

    Args:
        damage: Of the text.
        share: The least `hit` that passes.
        first: Number of the first word that can be marked.
    """
    n = len(damage.places)
    if n <= first or not damage.n:
        return float("nan") if n <= first else 0.0
    hurt, gap = np.zeros(n), np.zeros(n + 1)
    hurt[list(damage.words)], gap[list(damage.gaps)] = 1, 1
    rest = (hurt + gap[:-1] + gap[1:]) == 0
    totals = [np.concatenate([[0], np.cumsum(counts)]) for counts in (hurt, gap, rest)]
    low, width = np.meshgrid(np.arange(first, n), np.arange(SPAN), indexing="ij")
    low, high = (words[low + width < n] for words in (low, low + width))
    of_hurt, of_gap, of_rest = (
        total[high + more] - total[low]
        for total, more in zip(totals, (1, 2, 1), strict=True)
    )
    hits = (of_hurt + of_gap) / damage.n - of_rest / max(1, rest.sum())
    return float(np.mean(hits >= share))


def _marked(damage: Damage, marks: Sequence[Mark]) -> set[int]:
    """Numbers of the words that a mark covers, all or in part."""
    return {
        n
        for n, (start, end) in enumerate(damage.places)
        for mark in marks
        if start < mark.end > mark.start < end
    }


def _near(damage: Damage, mark: Mark) -> set[int]:
    """Gaps between words that a mark points at: within it, or at one of its ends."""
    places = damage.places
    gaps = set()
    for gap in damage.gaps:
        low = places[gap - 1][0] if gap > 0 else 0
        high = places[gap][1] if gap < len(places) else _end(places)
        if mark.start <= high and low <= mark.end:
            gaps.add(gap)
    return gaps


def _end(places: Sequence[tuple[int, int]]) -> int:
    """To the end of the last word, and a character behind it."""
    return places[-1][1] + 1 if places else 0
