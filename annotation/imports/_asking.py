"""Questions where two readings of a file would store different numbers. Pure.

A question stays open until somebody answers it. Pages show what is proposed and are
confirmed by the import; a command or a request ends with the question.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.imports import _values
from annotation.imports._cells import is_missing, number, whole, with_point
from annotation.imports._problems import shown
from annotation.imports._profile import SENTINELS, Column
from annotation.imports._values import NOTHING, Table

WORDS, STEPS, FAR, DECIMAL, RATINGS = "words", "steps", "far", "decimal", "ratings"
PARTS = "parts"  # whether files, sheets or lists are called after raters or systems
TEXTS = "texts"  # which column has the texts
SHAPE = "shape"  # whether a row is what a ready mapping takes it for
AGAIN = "again"  # whether the same words are another text
IDS = "ids"  # whether texts and values with one id belong together
RATED = ("rating", "mean", "score")
EVERY = ""  # the aspect of an answer that counts for all of them
LISTED = 12  # answers in a sentence


@dataclass(frozen=True)
class Question:
    """What only a person can say, and how."""

    code: str
    about: str  # an aspect, a metric or a column
    sentence: str
    table: Table = field(default_factory=dict)  # proposed numbers by cell
    counts: Mapping[str, int] = field(default_factory=dict)  # cells with each
    examples: Sequence[str] = ()  # to be looked at
    option: str = ""  # of the command, with what is proposed
    is_for_people: bool = False  # what is proposed is no more likely than the rest

    @property
    def has_proposal(self) -> bool:
        return not self.is_for_people and _values.is_complete(self.table)

    def plain(self) -> dict[str, Any]:
        return asdict(self)


class Asked(Exception):
    """Nothing was written: somebody has to answer these questions first."""

    def __init__(self, questions: list[Question]) -> None:
        super().__init__(" ".join(one.sentence for one in questions))
        self.questions = questions


def questions(
    roles: Mapping[str, str], columns: Mapping[str, Column], in_doubt: Iterable[str]
) -> list[Question]:
    """All of a file, answered or not.

    Args:
        roles: By column.
        columns: What was seen of each.
        in_doubt: Columns that are proposed as ratings by their content alone.
    """
    asked = [*_of_roles(roles, columns, in_doubt)]
    for about, some in _by_name(roles, columns).items():
        kinds = {roles[one.name].partition(":")[0] for one in some}
        rated, on_a_scale = "rating" in kinds, "score" not in kinds
        asked += _of_answers(about, some, rated=rated, on_a_scale=on_a_scale)
    asked += _of_commas(roles, columns)
    return asked


def about_shape(preset: str, sentence: str, *, is_for_people: bool) -> Question:
    """Whether a ready mapping is right, where a table may as well be read without."""
    option = f"--preset {preset}, or --preset none"
    return Question(SHAPE, preset, sentence, option=option, is_for_people=is_for_people)


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
    rest = [one for one in counts if _as_number(one) not in far]
    if all(_is_whole(one) for one in rest):
        if any((_as_number(one) or 0) < 0 for one in rest):
            yield _about_steps(about, rest, counts)
    elif all(_as_number(one) is not None for one in rest):
        yield _about_steps(about, rest, counts)
    elif not _is_mostly_whole(rest, counts):
        yield _about_words(about, rest, counts)


def answers(columns: Iterable[Column]) -> Counter[str] | None:
    """The different cells, but for missing ones; None: too many for a scale."""
    counts: Counter[str] = Counter()
    for column in columns:
        if column.values is None:
            return None
        counts.update(column.values)
    for one in [one for one in counts if is_missing(one)]:
        del counts[one]
    return counts if len(counts) <= _values.MOST_ANSWERS else None


def answers_in_words(columns: Iterable[Column]) -> list[str]:
    """The different cells, but for those by which programs say that there is none."""
    some = answers(columns) or ()
    return [one for one in some if _as_number(one) not in SENTINELS]


def _as_number(answer: str) -> float | None:
    return number(with_point(answer))


def _is_whole(answer: str) -> bool:
    return whole(answer) is not None


def _is_mostly_whole(rest: list[str], counts: Counter[str]) -> bool:
    """Then the others are typing errors, and are said line by line."""
    whole = sum(counts[one] for one in rest if _is_whole(one))
    return 2 * whole > sum(counts[one] for one in rest)


def _about_far(about: str, far: Counter[float], columns: list[Column]) -> Question:
    ends = [column.ends for column in columns]
    low, high = min(one for one, _ in ends), max(one for _, one in ends)
    counts = {f"{value:g}": n for value, n in far.items()}
    listed = " and ".join(f"{value} in {n:,}" for value, n in counts.items())
    cells = "cell" if sum(far.values()) == 1 else "cells"
    table: Table = dict.fromkeys(counts, NOTHING)
    return Question(
        FAR,
        about,
        f"“{about}” has {listed} {cells}, and {low:g} to {high:g} in all others. Does"
        " that mean that there is no answer?",
        table,
        counts,
        option=_option(about, table),
    )


def _about_steps(about: str, rest: list[str], counts: Counter[str]) -> Question:
    table = _values.steps(rest)
    return Question(
        STEPS,
        about,
        f"“{about}” has answers such as {_listed(rest)}. Ratings are whole numbers from"
        " 0 on here, so each step of the scale gets one. Is that right?",
        table,
        {one: counts[one] for one in table},
        option=_option(about, table),
    )


def _about_words(about: str, rest: list[str], counts: Counter[str]) -> Question:
    far = [one for one in rest if _as_number(one) in SENTINELS]
    table = _values.proposed([one for one in rest if one not in far])
    table |= dict.fromkeys(far, NOTHING)
    return Question(
        WORDS,
        about,
        f"“{about}” has answers in words: {_listed(table)}. Which number is each?",
        table,
        {one: counts[one] for one in table},
        option=_option(about, table),
    )


def _of_roles(
    roles: Mapping[str, str], columns: Mapping[str, Column], in_doubt: Iterable[str]
) -> Iterator[Question]:
    for name in in_doubt:
        role = roles.get(name, "")
        if role == "text":
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
        elif role.startswith("rating:"):
            yield Question(
                RATINGS,
                name,
                _whether_ratings(columns[name], role),
                option=f"--map {shlex.quote(f'{roles[name]}={name}')}, or --map"
                f" {shlex.quote(f'ignore={name}')}",
            )


def _about_parts(column: Column, role: str) -> Question:
    said = "The same texts are rated" if role == "rater" else "The same prompts stand"
    names = _listed(column.values or ())
    return Question(
        PARTS,
        column.name,
        f"{said} in several parts of the file: {names}. Is each of them called after"
        f" its {role}?",
        option=f"--map {role}={column.name}, or --map ignore={column.name}",
    )


def _whether_ratings(column: Column, role: str) -> str:
    _, _, about = role.partition(":")
    aspect, _, rater = about.partition(":")
    low, high = column.ends
    has = "answers" if low > high else f"whole numbers from {low:g} to {high:g}"
    by = f" by the rater “{rater}”" if rater else ""
    return f"Column “{column.name}” has {has}. Are they ratings of “{aspect}”{by}?"


def _of_commas(
    roles: Mapping[str, str], columns: Mapping[str, Column]
) -> Iterator[Question]:
    odd = [
        name
        for name, role in roles.items()
        if role.partition(":")[0] in (*RATED, "n")
        and name in columns
        and columns[name].may_be_thousands
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


def _listed(answers: Iterable[str]) -> str:
    some = list(answers)
    more = f" and {len(some) - LISTED:,} more" if len(some) > LISTED else ""
    return ", ".join(shown(one) for one in some[:LISTED]) + more


def _option(about: str, table: Table) -> str:
    """As `import_study` takes it, also where an answer has a comma or a quote."""
    line = io.StringIO()
    pairs = [f"{a}={'?' if n is None else n}" for a, n in table.items()]
    csv.writer(line, lineterminator="").writerow(pairs)
    return f"--ratings {shlex.quote(f'{about}: {line.getvalue()}')}"


def tables(
    asked: Iterable[Question], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, Table]:
    """What cells stand for, by aspect or metric: as answered, else as proposed."""
    made: dict[str, Table] = {}
    for question in asked:
        made.setdefault(question.about, {}).update(question.table)
    for about in {*made, *given}:
        made.setdefault(about, {}).update(answers_about(about, given))
    return made


def answers_about(
    about: str, given: Mapping[str, Mapping[str, Any]]
) -> dict[str, int | str]:
    """Those that name no aspect count for all."""
    return {**given.get(EVERY, {}), **given.get(about, {})}


def still_open(
    asked: Iterable[Question],
    *,
    values: Mapping[str, Mapping[str, Any]],
    roles: Mapping[str, str],
    decimal: str,
    takes_proposals: bool,
    preset: str | None = None,
) -> list[Question]:
    """Those that nobody has answered yet.

    Args:
        asked: All of a file.
        values: What cells stand for, as answered, by aspect or metric.
        roles: Those that somebody has chosen, by column.
        decimal: What a comma is; empty: nobody has said so.
        takes_proposals: Whether what is proposed is right, where something is.
        preset: That somebody has chosen; empty: none of them is right.
    """
    chosen = set(roles)

    def is_open(one: Question) -> bool:
        if one.code == DECIMAL:
            return not decimal and not takes_proposals
        if one.code == SHAPE:
            return preset is None and not (takes_proposals and one.has_proposal)
        if one.code == TEXTS:
            return "text" not in roles.values()
        if one.code in (RATINGS, PARTS):
            return one.about not in chosen and not takes_proposals
        if takes_proposals and one.has_proposal:
            return False
        return bool(set(one.table) - set(answers_about(one.about, values)))

    return [one for one in asked if is_open(one)]
