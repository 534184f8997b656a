"""Rows below or above a table that say what its columns come to. Pure.

"Average", 3.4, 4.1 looks like a text with its ratings, and people would be asked to
rate the word. A row is one of totals only if nothing else in it can be a text, and if
the texts elsewhere are sentences, or its numbers are the sums or means of the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number, with_point
from annotation.imports._names import USUAL
from annotation.imports._profile import Column
from annotation.imports.files import Record

IN_A_TOTAL = "it is in a row of totals, not of a text"
LONGEST, MOST_WORDS = 40, 3  # characters and words of names beside a total: of a system
MOST_NAMED = 1  # a system; who rated it, too, is the answer of a person
FEWEST = 4  # rows that a sum is no mere chance of
SENTENCE = 3  # words of a text on average, which a total never has
WORDS = frozenset(
    "n m ø total totals subtotal sum average averages avg mean means median sd std"
    " stdev min"
    " max minimum maximum count summe gesamt gesamtsumme mittelwert mittel durchschnitt"
    " schnitt anzahl somme moyenne médiane total totaux suma media promedio mediana"
    " totale somma soma média gemiddelde totaal итого среднее сумма всего 平均 平均值"
    " 平均分 总计 合计 總計 合計 总和 총계 합계 평균".split()
)
# Nobody is called so; Max, Min and Media are.
NOBODY = frozenset(
    "average avg mean median total consensus majority mittelwert durchschnitt moyenne"
    " médiane promedio gemiddelde 平均 平均值 平均分".split()
)
BESIDE = frozenset(
    "of all the overall grand score scores rating ratings value values column n dev"
    " deviation standard général générale general".split()
)
OF_TURNS = frozenset((*USUAL["role"], *USUAL["dialogue"], *USUAL["turn"]))
_LETTERS = re.compile(r"[^\W\d_]+")


def may_be(record: Record) -> bool:
    """Whether a row has a word for totals, or numbers alone, and nothing like a text.

    Numbers may be missing, as those of formulas that nobody has worked out.
    """
    has_total, is_bare, n_filled = False, True, 0
    for value in record.cells.values():
        if isinstance(value, list | dict):
            return False
        if not filled(value):
            continue
        n_filled += 1
        is_bare = is_bare and _LETTERS.search(str(value)[:LONGEST]) is None
        if isinstance(value, str) and is_word(value):
            has_total = True
        elif len(str(value)) > LONGEST or len(str(value).split()) > MOST_WORDS:
            return False
    is_bare = is_bare and 0 < n_filled < len(record.cells)
    return (has_total or is_bare) and len(record.cells) > 1


def is_word(cell: str) -> bool:
    """Total, Mean:, Overall average, N = 20 of all: words for totals alone."""
    if len(cell) > LONGEST:
        return False
    words = _LETTERS.findall(cell.casefold())
    return not WORDS.isdisjoint(words) and (WORDS | BESIDE).issuperset(words)


def is_nobody(rater: object) -> bool:
    """Whether a row for each rater has one for what all of them come to."""
    words = _LETTERS.findall(str(rater)[:LONGEST].casefold())
    return not NOBODY.isdisjoint(words) and (NOBODY | BESIDE).issuperset(words)


def without_nobody(
    records: Iterable[Record], rater: str, account: Account, notes: list[str]
) -> Iterator[Record]:
    """The rows of people. Those of their mean are left out, and said."""
    out: Counter[str] = Counter()
    for record in records:
        if is_nobody(who := record.cells.get(rater)):
            account.leave_out([record.line])
            out[str(who).strip()] += 1
        else:
            yield record
    for who, n in out.items():
        rows = "1 row is" if n == 1 else f"{n:,} rows are"
        notes.append(f"{rows} by “{who}”, which is nobody: not read.")


def of(
    aside: Mapping[int, Record], columns: Mapping[str, Column], n: int
) -> dict[int, Record]:
    """Those that are of totals, of a table with n other rows."""
    if not n or any(column.words in OF_TURNS for column in columns.values()):
        return {}
    first = n + len(aside)  # of the rows at the end that may be some
    while first - 1 in aside:
        first -= 1
    return {
        place: record
        for place, record in aside.items()
        if _is_one(record, columns, n, is_last=place >= first)
    }


def _is_one(
    record: Record, columns: Mapping[str, Column], n: int, *, is_last: bool
) -> bool:
    """Without a word that says so, only at the end, and below sentences."""
    cells = {name: value for name, value in record.cells.items() if filled(value)}
    others = {name: one for name, one in cells.items() if not is_word(str(one))}
    named = [one for one in others.values() if _LETTERS.search(str(one))]
    if len(named) > MOST_NAMED:
        return False
    texts = [
        (str(cells.get(name, "")), column.n == n)
        for name, column in columns.items()
        if not column.is_mostly_numbers and column.mean_words >= SENTENCE
    ]
    is_empty = any(not stands and is_full for stands, is_full in texts)
    if any(is_word(stands) for stands, _ in texts) or (is_empty and others != cells):
        return True
    has_word = others != cells
    if (texts and not is_empty) or not (has_word or (is_empty and is_last)):
        return False
    sums = all(_comes_to(one, columns.get(name)) for name, one in others.items())
    return n >= FEWEST and bool(others) and sums


def _comes_to(value: Any, column: Column | None) -> bool:
    """Whether a cell has the sum or the mean of a column, as far as it is written."""
    found = number(with_point(value))
    if found is None or column is None or not column.n_read:
        return False
    _, _, decimals = str(with_point(value)).strip().partition(".")
    near = 0.51 * 10.0 ** -len(decimals)
    sums = (column.total, column.total / column.n_read)
    return any(math.isclose(found, one, abs_tol=near) for one in sums)


def note(lines: list[int], unit: str) -> Iterator[str]:
    if lines:
        rows = f"{unit} {lines[0]:,} is" if len(lines) == 1 else _several(lines, unit)
        was = "was" if len(lines) == 1 else "were"
        yield f"{rows.capitalize()} for totals and {was} not read."


def _several(lines: list[int], unit: str) -> str:
    shown = ", ".join(f"{line:,}" for line in lines[:5])
    more = f" and {len(lines) - 5:,} more" if len(lines) > 5 else ""
    return f"{unit}s {shown}{more} are"
