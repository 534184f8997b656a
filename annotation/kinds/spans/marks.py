"""Marks in a text: where they are, what a page sends of them, what it shows. Pure.

Offsets are code points of the stored text, half-open. A page shows each end of a line
as one character, whatever the text has there, and counts in what it shows: `offsets`
leads from one to the other. What was marked is stored beside the offsets, and compared
at each reading.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from annotation.kinds.spans.scheme import Scheme
from annotation.sentences.prefixes import respelled
from scoring.stats.spans.marks import SIDES, Mark

TEXT: Final = "text"
SOURCE: Final = "source"
MOST = 100  # marks in one text, whatever a study allows
LONGEST = 1_000_000  # characters of a field of a form


class Placed(NamedTuple):
    """A mark with the words that it stands on."""

    mark: Mark
    words: str
    proposal: int = 0  # the number of the proposal that it began as; 0: of none

    def stands_in(self, texts: Mapping[str, str]) -> bool:
        """Whether the text of its side has these very words there."""
        text = texts.get(self.mark.side)
        start, end = self.mark.start, self.mark.end
        if text is None or not 0 <= start <= end <= len(text):
            return False
        return text[start:end] == self.words


def shown(text: str) -> str:
    """A text as a page shows it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def offsets(text: str) -> Sequence[int]:
    """Where each character that a page shows begins in the stored text, and its end.

    >>> list(offsets("a\\r\\nb"))
    [0, 1, 3, 4]
    """
    if "\r" not in text:
        return range(len(text) + 1)
    ends = zip(text, text[1:], strict=False)  # which end a line by two characters
    second = {at for at, two in enumerate(ends, start=1) if two == ("\r", "\n")}
    return [at for at in range(len(text) + 1) if at not in second]


def stored(placed: Placed, text: str) -> Placed:
    """A mark that a page counts, as it is stored. It must stand in `shown(text)`."""
    at, mark = offsets(text), placed.mark
    start, end = at[mark.start], at[mark.end]
    place = mark._replace(start=start, end=end)
    return placed._replace(mark=place, words=text[start:end])


def as_shown(placed: Placed, text: str) -> Placed:
    """A stored mark, as a page counts."""
    at, mark = offsets(text), placed.mark
    start, end = bisect_left(at, mark.start), bisect_left(at, mark.end)
    place = mark._replace(start=start, end=end)
    return placed._replace(mark=place, words=shown(placed.words))


def opening(prefix: str, text: str) -> int:
    """How many characters of a stored text are the opening that its system was given.

    >>> opening("Once upon", "once  upon a time")
    10
    """
    if not prefix:
        return 0
    whole = respelled(prefix, text)
    if not whole.startswith(prefix):
        return 0
    return len(text) - (len(whole) - len(prefix))


# What a form brings ------------------------------------------------------------------


def written(marks: Iterable[Placed]) -> str:
    """For the field of a form."""
    return json.dumps(as_json(marks), ensure_ascii=False)


def as_json(marks: Iterable[Placed]) -> list[dict[str, Any]]:
    return [
        {
            **placed.mark._asdict(),
            "words": placed.words,
            **({"proposal": placed.proposal} if placed.proposal else {}),
        }
        for placed in marks
    ]


def read(field: str) -> list[Placed] | None:
    """Marks as `written` has them; None where the field says nothing of that kind."""
    if len(field) > LONGEST:
        return None
    try:
        rows = json.loads(field)
    except (ValueError, RecursionError):
        return None
    return of_json(rows)


def of_json(rows: Any) -> list[Placed] | None:
    """Marks as `as_json` has them; None where these are none."""
    if not isinstance(rows, list):
        return None
    marks = [_read(row) for row in rows[: MOST + 1]]
    return [mark for mark in marks if mark is not None] if all(marks) else None


def _read(row: Any) -> Placed | None:
    if not isinstance(row, dict):
        return None
    start, end = row.get("start"), row.get("end")
    if type(start) is not int or type(end) is not int:
        return None
    category, severity, words = (
        row.get(name, "") for name in ("category", "severity", "words")
    )
    side = row.get("side", TEXT)
    if not all(isinstance(word, str) for word in (category, severity, words)):
        return None
    if side not in SIDES:
        return None
    proposal = row.get("proposal", 0)
    if type(proposal) is not int or not 0 <= proposal <= MOST:
        return None
    return Placed(Mark(start, end, category, severity, side), words, proposal)


def problem(
    marks: Sequence[Placed],
    texts: Mapping[str, str],
    scheme: Scheme,
    before: int = 0,
) -> str:
    """Why marks of a page cannot be kept; empty where they can.

    Args:
        marks: As the page counts.
        texts: By side, as they are shown.
        scheme: Of the study.
        before: Characters at the beginning of the text that are not to be marked.
    """
    if len(marks) > (scheme.most or MOST):
        return "too many"
    for placed in marks:
        mark = placed.mark
        if not placed.stands_in(texts):
            return "elsewhere"
        if mark.start == mark.end and not scheme.missing:
            return "empty"
        if mark.side == TEXT and mark.start < before:
            return "opening"
        if not scheme.has(mark.category, mark.severity):
            return "unknown"
    return ""


# What a page shows -------------------------------------------------------------------


class Segment(NamedTuple):
    """A part of a text between two borders of marks."""

    words: str
    marks: tuple[int, ...]  # numbers of the marks on it, from 1
    begins: tuple[int, ...]  # of those among them that begin with it
    points: tuple[
        int, ...
    ]  # of the marks that stand before it, where words are missing


def segments(text: str, marks: Sequence[Mark], side: str = TEXT) -> list[Segment]:
    """The text in parts, which joined are the text. At least one."""
    here = [(n, mark) for n, mark in enumerate(marks, start=1) if mark.side == side]
    borders = {0, len(text)}
    for _, mark in here:
        borders |= {mark.start, mark.end}
    starts = sorted(borders)
    parts = []
    for start, end in zip(starts, [*starts[1:], starts[-1]], strict=True):
        on = tuple(n for n, mark in here if mark.start < end and start < mark.end)
        begins = tuple(n for n in on if marks[n - 1].start == start)
        points = tuple(n for n, mark in here if mark.start == mark.end == start)
        if start < end or points:
            parts.append(Segment(text[start:end], on, begins, points))
    return parts or [Segment(text, (), (), ())]
