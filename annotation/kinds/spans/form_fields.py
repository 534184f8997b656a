"""The fields of a page's form that say what is marked in a text.

A script keeps all marks of a text in one field. Without a script the field brings back
what it was given, and others beside it add one mark, or take some away.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotation.kinds.spans import marks
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.scheme import Scheme
from annotation.kinds.spans.sides import MarkedUnit, Side
from annotation.kinds.spans.stored_marks import Sent
from scoring.stats.spans.marks import Mark

TICKS = {"1": True, "0": False}


def marks_name(position: int) -> str:
    return f"marks-{position}"


def clean_name(position: int) -> str:
    return f"clean-{position}"


def drop_name(position: int, number: int) -> str:
    return f"drop-{position}-{number}"


def add_name(what: str, position: int, side: str) -> str:
    """Of a new mark: `from` and `to` are numbers of words, `gap` a tick for what is
    missing before the first, `category` and `severity` keys."""
    return f"{what}-{position}-{side}"


def read(
    position: int, data: Mapping[str, str], unit: MarkedUnit, scheme: Scheme
) -> Sent:
    """What a form says of a text. What makes no sense counts as missing."""
    clean = TICKS.get(data.get(clean_name(position), ""))
    field = data.get(marks_name(position))
    sent = marks.read(field) if field is not None else None
    if sent is None:
        return Sent(None, clean)
    staying = [
        mark
        for number, mark in enumerate(sent, start=1)
        if not data.get(drop_name(position, number))
    ]
    for side in unit.sides.values():
        if added := _added(position, data, side, scheme):
            staying.append(added)
    return Sent(staying, clean)


def _added(
    position: int, data: Mapping[str, str], side: Side, scheme: Scheme
) -> Placed | None:
    """The mark that a form without a script adds."""

    def said(what: str) -> str:
        return data.get(add_name(what, position, side.name), "")

    low = _number(said("from"), len(side.words))
    if low is None:
        return None
    high = _number(said("to"), len(side.words))
    low, high = sorted([low, low if high is None else high])
    category, severity = _chosen(said("category"), said("severity"), scheme)
    start, end = side.words[low - 1][0], side.words[high - 1][1]
    if said("gap") and scheme.missing:
        end = start
    mark = Mark(start, end, category, severity, side.name)
    return Placed(mark, side.shown[start:end])


def _chosen(category: str, severity: str, scheme: Scheme) -> tuple[str, str]:
    """The only ones there are need no choice."""
    lists = scheme.categories, scheme.severities
    only = [names[0].key if len(names) == 1 else "" for names in lists]
    return category or only[0], severity or only[1]


def _number(written: str, most: int) -> int | None:
    if not written.isascii() or not written.isdigit() or len(written) > 6:
        return None
    number = int(written)
    return number if 1 <= number <= most else None
