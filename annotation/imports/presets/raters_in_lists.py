"""Lists of raters beside lists of their ratings: annotators, coherence.

    {"text": "...", "annotators": ["ann", "ben"], "coherence": [4, 5]}

Each place in the lists is what one rater said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account
from annotation.imports._cells import is_missing, number
from annotation.imports._names import USUAL, words_of
from annotation.imports._profile import FIRST
from annotation.imports.files import Record, Table, beginning
from annotation.imports.presets._preset import Preset, Records

RATERS = frozenset(one for name in USUAL["rater"] for one in (name, f"{name}s"))


def _lists(cells: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The list of raters, and those with a number for each; or nothing."""
    named = [n for n, c in cells.items() if words_of(n) in RATERS and _is_of_names(c)]
    if len(named) != 1:
        return "", []
    n = len(cells[named[0]])
    others = {name: cell for name, cell in cells.items() if name != named[0]}
    return named[0], [name for name, c in others.items() if _is_of_numbers(c, n)]


def _is_of_names(cell: Any) -> bool:
    is_list = isinstance(cell, list) and bool(cell)
    return is_list and all(isinstance(name, str | int) for name in cell)


def _is_of_numbers(cell: Any, n: int) -> bool:
    if not isinstance(cell, list) or len(cell) != n:
        return False
    return all(o is None or is_missing(o) or number(o) is not None for o in cell)


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return any(_lists(record.cells)[1] for record in first)


def _unfold(records: Records, account: Account) -> Records:
    first = beginning(records, FIRST)
    for record in chain(first, records):
        raters, rated = _lists(record.cells)
        if not rated:
            yield record
            continue
        lists = [raters, *rated]
        for line, cells in _verbs.explode(iter([record]), lists, account):
            rest = {name: cell for name, cell in cells.items() if name != raters}
            yield Record(line, {**rest, "rater": cells[raters]})


PRESET = Preset(
    title="Lists of raters beside lists of ratings",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
