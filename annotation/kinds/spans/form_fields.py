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
OF_A_MARK = ("from", "to", "gap", "category", "severity")  # fields of a list of words
LONGEST = 500  # characters of what is said of a list in an address


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
        added = _added(fields_of_mark(position, data, side.name), side, scheme)
        if added and len(staying) < (scheme.most or marks.MOST):
            staying.append(added)
    return Sent(staying, clean)


def fields_of_mark(position: int, data: Mapping[str, str], side: str) -> dict[str, str]:
    """What a form says of a new mark on one side of a text."""
    fields = {what: data.get(add_name(what, position, side), "") for what in OF_A_MARK}
    return {what: words for what, words in fields.items() if words}


def lacking(fields: Mapping[str, str], side: Side, scheme: Scheme) -> list[str]:
    """Which of them a mark still needs."""
    category, severity = _chosen(fields, scheme)
    needs = {
        "from": number(fields.get("from", ""), len(side.words)) is None,
        "category": not scheme.has_category(category),
        "severity": not scheme.has_severity(severity),
    }
    return [what for what, is_lacking in needs.items() if is_lacking]


def _added(fields: Mapping[str, str], side: Side, scheme: Scheme) -> Placed | None:
    """The mark that a form without a script adds; None: something is lacking."""
    first = number(fields.get("from", ""), len(side.words))
    if first is None or lacking(fields, side, scheme):
        return None
    last = number(fields.get("to", ""), len(side.words)) or first
    low, high = sorted([first, last])
    start, end = side.words[low - 1][0], side.words[high - 1][1]
    if "gap" in fields and scheme.missing:
        end = start
    mark = Mark(start, end, *_chosen(fields, scheme), side.name)
    return Placed(mark, side.shown[start:end])


def _chosen(fields: Mapping[str, str], scheme: Scheme) -> tuple[str, str]:
    """The only ones there are need no choice."""
    lists = scheme.categories, scheme.severities
    only = [names[0].key if len(names) == 1 else "" for names in lists]
    return fields.get("category") or only[0], fields.get("severity") or only[1]


def number(written: str, most: int) -> int | None:
    if not written.isascii() or not written.isdigit() or len(written) > 6:
        return None
    number = int(written)
    return number if 1 <= number <= most else None
