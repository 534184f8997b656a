"""Questions that are the same but for what they are about are asked once. Pure.

Ten columns of raters were ten questions, and three aspects on one scale of words three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from annotation.imports._profile import Column
from annotation.imports._question import STEPS, WORDS, Question
from annotation.imports._values import is_complete

LISTED = 4  # names in a sentence
ABOUT_AS_HIGH = 1.5  # of two raters on one scale one may never give the highest


def together(
    asked: Iterable[Question], option: Callable[[str, Question], str]
) -> list[Question]:
    """Those of one kind with the same numbers for the same answers are one.

    Args:
        asked: Each about one aspect.
        option: Of the command, for an aspect; an empty one stands for all.
    """
    groups: list[list[Question]] = []
    for one in asked:
        group = next((g for g in groups if _agree(g, one)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    merged = [_merged(group) for group in groups]
    return [
        replace(one, option=_option(one, merged, option)) if one.alike else one
        for one in merged
    ]


def _agree(group: Sequence[Question], one: Question) -> bool:
    first = group[0]
    if first.code != one.code or one.code not in (WORDS, STEPS):
        return False
    same = first.table.keys() == one.table.keys()
    if not same and not (is_complete(first.table) and is_complete(one.table)):
        return False
    if first.table.keys().isdisjoint(one.table):
        return False
    return all(
        other.table.get(word, number) == number
        for other in group
        for word, number in one.table.items()
    )


def _merged(group: Sequence[Question]) -> Question:
    first = group[0]
    if len(group) == 1:
        return first
    table = {word: n for one in group for word, n in one.table.items()}
    if is_complete(table):
        table = dict(sorted(table.items(), key=lambda pair: (pair[1] == "", pair[1])))
    counts: Counter[str] = Counter()
    for one in group:
        counts.update(one.counts)
    names = listed([one.about for one in group])
    return replace(
        first,
        sentence=f"{names} have{first.sentence.removeprefix(f'“{first.about}” has')}",
        table=table,
        counts={word: counts[word] for word in table},
        alike={one.about: list(one.table) for one in group},
    )


def _option(
    one: Question, asked: Sequence[Question], option: Callable[[str, Question], str]
) -> str:
    """For all aspects at once, unless another question has one of these answers."""
    others = [other for other in asked if other is not one]
    if all(one.table.keys().isdisjoint(other.table) for other in others):
        return option("", one)
    return " ".join(option(about, one) for about in one.alike)


def listed(names: Sequence[str]) -> str:
    """“a”, “b” and “c”; of many the first, the last, and how many."""
    quoted = [f"“{name}”" for name in names]
    if len(quoted) > LISTED:
        return f"{quoted[0]} to {quoted[-1]} ({len(quoted):,})"
    *rest, last = quoted
    return f"{', '.join(rest)} and {last}" if rest else last


def columns_in_groups(
    names: Iterable[str], columns: Mapping[str, Column], roles: Mapping[str, str]
) -> list[list[str]]:
    """Columns whose names are of one scheme, and whose numbers of one scale."""
    groups: list[list[str]] = []
    for name in names:
        group = next(
            (g for g in groups if _are_alike(g[0], name, columns, roles)), None
        )
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return groups


def _are_alike(
    one: str, other: str, columns: Mapping[str, Column], roles: Mapping[str, str]
) -> bool:
    if _scheme(one) != _scheme(other):
        return False
    if roles[one].count(":") != roles[other].count(":"):
        return False
    (_, a), (_, b) = columns[one].ends, columns[other].ends
    if not (a > 0 and b > 0):
        return a == b
    return max(a, b) <= ABOUT_AS_HIGH * min(a, b) and abs(a) != float("inf")


def _scheme(name: str) -> str:
    """Q1 and Q2 have one; so have names that are words alone, such as ann and ben."""
    if not any(map(str.isdigit, name)):
        return ""
    return "".join("1" if sign.isdigit() else sign for sign in name).replace("11", "1")
