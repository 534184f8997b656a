"""A column for each answer: coherence:::1, coherence:::2; coherence_1 to coherence_5.

The answer that was chosen has a 1 or "true", the others a 0, "false" or nothing. Potato
writes its csv files so. (github.com/davidjurgens/potato)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from annotation.imports._account import MISSING, WORDS, Account, filled
from annotation.imports._cells import is_missing, number
from annotation.imports._names import (
    ASPECTS,
    COUNTS,
    RATER_HEAD,
    is_known,
    numbered,
    words_of,
)
from annotation.imports._profile import FIRST
from annotation.imports._values import is_complete, proposed
from annotation.imports.files import Record, Table, beginning
from annotation.imports.presets._answers import NO, YES, rating_of
from annotation.imports.presets._preset import Preset, Records, Shape
from annotation.imports.presets._wide import listed

MARK = ":::"
FEWEST = 3  # answers of a scale: two columns are as often two raters
ENOUGH = 6  # rows, by which five raters who said yes or no would not look so
Groups = dict[str, dict[str, str]]  # columns by question and answer


def _names(first: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(name for record in first for name in record.cells))


def _marked(names: Collection[str]) -> Groups:
    groups: Groups = {}
    for name in names:
        question, mark, answer = name.partition(MARK)
        if mark and question.strip() and answer.strip():
            groups.setdefault(question.strip(), {})[answer.strip()] = name
    return groups


def _groups(first: Sequence[Record]) -> Groups:
    """Of numbered columns those of which each row has chosen one."""
    names = _names(first)
    if marked := _marked(names):
        return marked
    groups: Groups = {}
    for name in names:
        stem, n = numbered(name)
        if stem and n and _may_be_asked(stem):
            groups.setdefault(stem, {})[n] = name
    groups = {s: by_n for s, by_n in groups.items() if _is_in_turn(by_n)}
    groups |= _worded(names)
    return {q: answers for q, answers in groups.items() if _is_one_hot(answers, first)}


def _may_be_asked(question: str) -> bool:
    """Not a fold, a system or a label, which have such columns, too."""
    words = words_of(question)
    if RATER_HEAD.fullmatch(f"{words.rpartition(' ')[2]} 1"):
        return False  # quality rater 1 to 3: those who said yes or no
    if ASPECTS.intersection(words.split()):
        return True
    return not is_known(question) and not COUNTS.search(words)


def _worded(names: Collection[str]) -> Groups:
    """coherence_good, coherence_bad: all answers of a scale, behind an aspect."""
    groups: Groups = {}
    for name in names:
        aspect, _, answer = words_of(name).partition(" ")
        if aspect in ASPECTS and answer and not numbered(name)[1]:
            groups.setdefault(aspect, {})[answer] = name
    return {
        aspect: answers
        for aspect, answers in groups.items()
        if is_complete(proposed(answers.keys()))
    }


def _is_in_turn(columns: Mapping[str, str]) -> bool:
    numbers = sorted(map(int, columns))
    return numbers in (list(range(k, k + len(numbers))) for k in (0, 1))


def _is_one_hot(columns: Mapping[str, str], first: Sequence[Record]) -> bool:
    rows = list(_chosen(columns, first))
    return (
        len(columns) >= FEWEST
        and bool(rows)
        and all(row == [False] * (len(row) - 1) + [True] for row in map(sorted, rows))
    )


def _chosen(
    columns: Mapping[str, str], first: Sequence[Record]
) -> Iterator[list[bool]]:
    """Which answers of a row are chosen; of a cell that says neither, twice True."""
    for record in first:
        cells = [record.cells.get(name) for name in columns.values()]
        if any(map(filled, cells)):
            chosen = [_is_chosen(cell) for cell in cells]
            yield [True, True] if None in chosen else list(map(bool, chosen))


def _named(question: str, first: Sequence[Record]) -> str:
    """Answers about what nobody knows may as well count something: it is asked."""
    is_known_question = bool(_marked(_names(first)))
    is_known_question |= not ASPECTS.isdisjoint(words_of(question).split())
    return f"rating:{question.replace(':', ' ')}" if is_known_question else question


def _is_chosen(cell: Any) -> bool | None:
    """None: it says neither yes nor no."""
    word = str(cell).strip().lower()
    if not filled(cell) or is_missing(cell) or number(cell) == 0 or word in NO:
        return False
    return True if number(cell) == 1 or word in YES else None


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return bool(_groups(first))


def _shape(table: Table, first: Sequence[Record]) -> Shape | None:
    groups = _groups(first)
    n = min(sum(1 for _ in _chosen(columns, first)) for columns in groups.values())
    if n >= ENOUGH or _marked(_names(first)):
        return None
    asked = listed([f"“{question}”" for question in groups])
    return Shape(
        f"There is a column for each answer about {asked}, with a 1 in the one that was"
        " chosen. Is that so?"
    )


def _unfold(records: Records, account: Account) -> Records:
    first = beginning(records, FIRST)
    groups = _groups(first)
    names = {question: _named(question, first) for question in groups}
    columns = {name for one in groups.values() for name in one.values()}
    for line, cells in chain(first, records):
        row = {name: cell for name, cell in cells.items() if name not in columns}
        for question, answers in groups.items():
            options = {}
            for answer, name in answers.items():
                if is_missing(cells.get(name)):
                    account.set_aside(name, words=WORDS[MISSING])
                else:
                    options[answer] = cells.get(name)
            if (rating := rating_of(question, options, account)) is not None:
                row[names[question]] = rating
        yield Record(line, row)


PRESET = Preset(
    title="A column for each answer",
    help=__doc__ or "",
    recognises=_recognises,
    shape=_shape,
    unfold=_unfold,
    is_general=True,
)
