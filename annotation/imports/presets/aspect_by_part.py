"""A file, sheet or list for each aspect, each with ratings in one column.

coherence.csv and fluency.csv in a zip file, both with a text and its "rating": the name
of the file is what was rated. The rows of one text are put together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from annotation.imports._account import Account
from annotation.imports._names import ASPECTS, METRICS, words_of
from annotation.imports.files import PART, Record, Table
from annotation.imports.presets._preset import Preset, Records

VALUES = frozenset("rating ratings score scores value answer label judgment".split())


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = dict.fromkeys(name for record in first for name in record.cells)
    parts = {str(record.cells.get(PART) or "") for record in first}
    return PART in names and bool(_value(names)) and all(map(_names_aspect, parts))


def _value(names: Collection[str]) -> str:
    """The one column with ratings of whatever the part says; empty: there is none."""
    values = [name for name in names if words_of(name) in VALUES]
    others = [name for name in names if name not in values and _names_aspect(name)]
    return values[0] if len(values) == 1 and not others else ""


def _names_aspect(name: str) -> bool:
    words = set(words_of(name).split())
    return bool(words & (ASPECTS | METRICS) - VALUES)


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        value, part = _value(cells), str(cells.get(PART) or "")
        if value and _names_aspect(part):
            kind = "score" if METRICS & set(words_of(part).split()) else "rating"
            rest = {n: cell for n, cell in cells.items() if n not in (PART, value)}
            yield Record(line, {**rest, f"{kind}:{part}": cells[value]})
        else:
            yield Record(line, cells)


PRESET = Preset(
    title="A file, sheet or list for each aspect",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
