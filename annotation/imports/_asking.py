"""Questions where two readings of a file would store different numbers. Pure.

A question stays open until somebody answers it. Pages show what is proposed and are
confirmed by the import; a command or a request ends with the question.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.imports import _alike, _rejected, _values
from annotation.imports._cells import is_missing, number, whole, with_point
from annotation.imports._problems import shown
from annotation.imports._profile import SENTINELS, Column
from annotation.imports._question import (
    AGAIN,
    DECIMAL,
    FAR,
    IDS,
    PARTS,
    RATINGS,
    ROWS,
    SHAPE,
    STEPS,
    TEXTS,
    WORDS,
    Asked,
    Question,
    answers_listed,
)
from annotation.imports._question import option as option_of
from annotation.imports._values import NOTHING, Table

__all__ = ["IDS", "ROWS", "Asked", "Question"]

RATED = ("rating", "mean", "score")


def questions(
    roles: Mapping[str, str], columns: Mapping[str, Column], in_doubt: Iterable[str]
) -> list[Question]:
    """All of a file, answered or not.

    Args:
        roles: By column.
        columns: What was seen of each.
        in_doubt: Columns that are proposed as ratings by their content alone.
    """
    asked: list[Question] = []
    for about, some in _by_name(roles, columns).items():
        kinds = {roles[answer.name].partition(":")[0] for answer in some}
        rated, on_a_scale = "rating" in kinds, "score" not in kinds
        asked += _of_answers(about, some, rated=rated, on_a_scale=on_a_scale)
    asked = [
        *_of_roles(roles, columns, in_doubt),
        *_alike.together(asked, lambda about, one: option_of(about, one.table)),
    ]
    asked += _of_commas(roles, columns)
    asked += _of_rejected(roles, columns)
    return asked


def of_shape(preset: str, shape: tuple[str, bool] | None) -> Iterator[Question]:
    """Whether a ready mapping is right, where a table may as well be read without."""
    if shape:
        sentence, is_for_people = shape
        yield Question(
            SHAPE,
            preset,
            sentence,
            option=f"--preset {preset}, or --preset none",
            is_for_people=is_for_people,
        )


def about_again(lines: Sequence[int], unit: str) -> Question:
    """What it means that one rater has rated the same words twice."""
    n = len(lines)
    rows = f"1 {unit} rates" if n == 1 else f"{n:,} {unit}s rate"
    return Question(
        AGAIN,
        "",
        f"{rows} a text that the same rater has rated before, as {unit} {lines[0]:,}"
        " does. Is each of these another text with the same words?",
        option="--again text, or --again first: then the first rating counts",
    )


def _by_name(
    roles: Mapping[str, str], columns: Mapping[str, Column]
) -> dict[str, list[Column]]:
    """Columns of one aspect or metric: their cells have one meaning."""
    named: dict[str, list[Column]] = {}
    for name, role in roles.items():
        kind, _, about = role.partition(":")
        if kind in RATED and name in columns:
            named.setdefault(about.partition(":")[0].strip(), []).append(columns[name])
    return named


def _of_answers(
    about: str, columns: list[Column], *, rated: bool, on_a_scale: bool
) -> Iterator[Question]:
    far: Counter[float] = Counter()
    for column in columns:
        # A metric may well give 44 beside 1 to 5, but hardly -99.
        far.update({v: n for v, n in column.sentinels.items() if on_a_scale or v < 0})
    if far:
        yield _about_far(about, far, columns)
    counts = answers(columns)
    if counts is None or not rated:
        return
    rest = [answer for answer in counts if _as_number(answer) not in far]
    if all(_is_whole(answer) for answer in rest):
        if any((_as_number(answer) or 0) < 0 for answer in rest):
            yield _about_steps(about, rest, counts)
    elif all(_as_number(answer) is not None for answer in rest):
        yield _about_steps(about, rest, counts)
    elif not _is_mostly_whole(rest, counts):
        yield _about_words(about, rest, counts, _in_words(columns))


def answers(columns: Iterable[Column]) -> Counter[str] | None:
    """The different cells, but for missing ones; None: too many for a scale."""
    counts: Counter[str] = Counter()
    for column in columns:
        if column.values is None:
            return None
        for cell, n in column.values.items():
            for answer in column.answer(cell):
                counts[str(answer)] += n
    for answer in [answer for answer in counts if is_missing(answer)]:
        del counts[answer]
    return counts if len(counts) <= _values.MOST_ANSWERS else None


def answers_in_words(columns: Iterable[Column]) -> list[str]:
    """The different cells, but for those that say that there is none."""
    left = [
        answer
        for answer in answers(columns) or ()
        if _as_number(answer) not in SENTINELS
    ]
    return [answer for answer in left if not _values.says_nothing(answer)]


def _in_words(columns: Iterable[Column]) -> Counter[str]:
    """Cells that say in words that there is no answer: "none" may be one, too."""
    counts: Counter[str] = Counter()
    for column in columns:
        for answer, n in (column.values or {}).items():
            if is_missing(answer) and _values.says_nothing(answer):
                counts[answer] += n
    return counts


def _as_number(answer: str) -> float | None:
    return number(with_point(answer))


def _is_whole(answer: str) -> bool:
    return whole(with_point(answer)) is not None


def _is_mostly_whole(rest: list[str], counts: Counter[str]) -> bool:
    """Then the others are typing errors, and are said line by line."""
    whole = sum(counts[answer] for answer in rest if _is_whole(answer))
    return 2 * whole > sum(counts[answer] for answer in rest)


def _about_far(about: str, far: Counter[float], columns: list[Column]) -> Question:
    ends = [column.ends for column in columns]
    low, high = min(one for one, _ in ends), max(one for _, one in ends)
    counts = {f"{value:g}": n for value, n in far.items()}
    listed = " and ".join(f"{value} in {n:,}" for value, n in counts.items())
    cells = "cell" if sum(far.values()) == 1 else "cells"
    table: Table = dict.fromkeys(counts, NOTHING)
    rest = f"{low:g} to {high:g} in all others" if low <= high else "nothing else"
    return Question(
        FAR,
        about,
        f"“{about}” has {listed} {cells}, and {rest}. Does that mean that there is no"
        " answer?",
        table,
        counts,
        option=option_of(about, table),
    )


def _about_steps(about: str, rest: list[str], counts: Counter[str]) -> Question:
    table = _values.steps(rest)
    return Question(
        STEPS,
        about,
        f"“{about}” has answers such as {answers_listed(rest)}. Ratings are whole"
        " numbers from 0 on here, so each step of the scale gets one. Is that right?",
        table,
        {answer: counts[answer] for answer in table},
        option=option_of(about, table),
    )


def _about_words(
    about: str, rest: list[str], counts: Counter[str], none: Counter[str]
) -> Question:
    far = [answer for answer in rest if _as_number(answer) in SENTINELS]
    table = _values.proposed(words := [answer for answer in rest if answer not in far])
    if not _values.is_complete(table):
        table = _values.codes(words) or table
    table |= dict.fromkeys([*far, *none], NOTHING)
    counts = counts + none
    return Question(
        WORDS,
        about,
        f"“{about}” has answers in words: {answers_listed(table)}."
        " Which number is each?",
        table,
        {answer: counts[answer] for answer in table},
        option=option_of(about, table),
    )


def _of_roles(
    roles: Mapping[str, str], columns: Mapping[str, Column], in_doubt: Iterable[str]
) -> Iterator[Question]:
    rated = []
    for name in in_doubt:
        role = roles.get(name, "")
        if role.startswith("rating:"):
            rated.append(name)
        elif role.startswith("mean:"):
            yield _whether_lists(columns[name], role)
        elif role == "text":
            yield Question(
                TEXTS,
                name,
                f"Column “{name}” is taken for the texts that people have rated, and"
                " others have sentences, too. Which column has the texts?",
                is_for_people=True,
                option=f"--map {shlex.quote(f'text={name}')}, or another column",
            )
        elif role in ("rater", "system"):
            yield _about_parts(columns[name], role)
    for names in _alike.columns_in_groups(rated, columns, roles):
        first = names[0]
        yield Question(
            RATINGS,
            first,
            _whether_ratings([columns[name] for name in names], roles),
            option=f"--map {shlex.quote(f'{roles[first]}={first}')}, or --map"
            f" {shlex.quote(f'ignore={first}')}{_likewise(names)}",
            alike={name: [] for name in names} if len(names) > 1 else {},
        )


def _about_parts(column: Column, role: str) -> Question:
    said = "The same texts are rated" if role == "rater" else "The same prompts stand"
    names = answers_listed(column.values or ())
    return Question(
        PARTS,
        column.name,
        f"{said} in several parts of the file: {names}. Is each of them called after"
        f" its {role}?",
        option=f"--map {role}={column.name}, or --map ignore={column.name}",
    )


def _whether_lists(column: Column, role: str) -> Question:
    name, about = column.name, role.partition(":")[2]
    return Question(
        RATINGS,
        name,
        f"Column “{name}” has cells such as {shown(column.odd)}. They are taken for one"
        " mean each, with a decimal comma. Is that right, and are they not the ratings"
        " of several people?",
        is_for_people=True,
        option=f"--map {shlex.quote(f'mean:{about}={name}')}, or --map"
        f" {shlex.quote(f'rating:{about}={name}')} for several ratings",
    )


def _likewise(names: Sequence[str]) -> str:
    return f"; likewise for {_alike.listed(names[1:])}" if len(names) > 1 else ""


def _whether_ratings(columns: Sequence[Column], roles: Mapping[str, str]) -> str:
    names = [column.name for column in columns]
    abouts = [roles[name].partition(":")[2].partition(":") for name in names]
    lows, highs = zip(*(column.ends for column in columns), strict=True)
    low, high = min(lows), max(highs)
    has = "answers" if low > high else f"whole numbers from {low:g} to {high:g}"
    aspects = _alike.listed(list(dict.fromkeys(aspect for aspect, _, _ in abouts)))
    raters = list(dict.fromkeys(rater for _, _, rater in abouts if rater))
    who = "rater" if len(raters) == 1 else "raters"
    by = f" by the {who} {_alike.listed(raters)}" if raters else ""
    which = "Column" if len(names) == 1 else "Columns"
    verb = "has" if len(names) == 1 else "have"
    told = f"{which} {_alike.listed(names)} {verb} {has}"
    return f"{told}. Are they ratings of {aspects}{by}?"


def _of_commas(
    roles: Mapping[str, str], columns: Mapping[str, Column]
) -> Iterator[Question]:
    odd = [
        name
        for name, role in roles.items()
        if role.partition(":")[0] in (*RATED, "n")
        and name in columns
        and columns[name].style.may_be_thousands
    ]
    if odd:
        example = shown(columns[odd[0]].odd)
        yield Question(
            DECIMAL,
            odd[0],
            f"Column “{odd[0]}” has numbers such as {example}. Is the comma a decimal"
            " comma, or does it part thousands?",
            option="--decimal comma, or --decimal point",
        )


def _of_rejected(
    roles: Mapping[str, str], columns: Mapping[str, Column]
) -> Iterator[Question]:
    if not any(role.partition(":")[0] in RATED for role in roles.values()):
        return
    for name, table, counts in _rejected.columns_of(roles, columns):
        out = [word for word, stands in table.items() if stands == NOTHING]
        n = sum(counts[word] for word in out)
        yield Question(
            ROWS,
            name,
            f"Column “{name}” says {answers_listed(out)} in"
            f" {n:,} {'row' if n == 1 else 'rows'}. Are these left out?",
            table,
            dict(counts),
            option=f"{option_of(name, table)}, where 1 is used and nothing is left out",
        )
