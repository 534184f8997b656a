"""A row for each prompt, with a column for the texts of each system.

The columns are called after the systems, alone or beside what they hold: ours,
baseline; gpt4_output, gpt4_coherence; output_a, score_a. JSON lines have them as
{"outputs": {"gpt4": "...", "llama": "..."}}. Each text comes in with its system and
what stands in the columns that share its name; what is not about one system stands
beside each of its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports._names import USUAL
from annotation.imports._profile import FIRST
from annotation.imports.files import Record, Table, beginning
from annotation.imports.files._table import flattened
from annotation.imports.presets import _wide
from annotation.imports.presets._preset import Preset, Records, Shape
from annotation.imports.presets._segments import key_of

OF_NO_SYSTEM = "nothing says which of the row's texts it is about"
SIDE = "side"  # which text of the row it is, until it is known what that means


def _seen(first: Sequence[Record]) -> _wide.Wide | None:
    """The same for who recognises a file and who reads it: by its first records."""
    first = list(_verbs.rename(iter(first[:FIRST]), _name_of(first)))
    names = dict.fromkeys(name for record in first for name in record.cells)
    return _wide.wide(names, first)


def _name_of(first: Sequence[Record]) -> Callable[[str], str]:
    names = dict.fromkeys(name for record in first for name in record.cells)
    again = _wide.repeated(names)
    return lambda name: again.get(name, name)


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return _seen(first) is not None


def _shape(table: Table, first: Sequence[Record]) -> Shape | None:
    row = _seen(first)
    if row is None or row.is_sure:
        return None
    n, names = len(row.texts), _wide.listed(row.texts)
    sentence = f"Each row has texts of {n} systems: {names}. Is that so?"
    if row.without_system:
        lost = _wide.listed([f"“{name}”" for name in row.without_system])
        are = "is" if len(row.without_system) == 1 else "are"
        sentence += f" Then nothing says which of them {lost} {are} about."
    is_for_people = not row.looks_so or bool(row.without_system)
    return Shape(sentence, is_for_people=is_for_people)


def _unfold(records: Records, account: Account) -> Records:
    first = beginning(records, FIRST)
    row = _seen(first)
    rows = _verbs.rename(chain(first, records), _name_of(first))
    if row is None:
        yield from rows
        return
    plain = _verbs.without(rows, row.without_system.__contains__, account, OF_NO_SYSTEM)
    for line, cells in _verbs.melt(plain, row.part_of, account, SIDE):
        yield Record(line, _of_system(cells, row))


def _of_system(cells: dict[str, Any], row: _wide.Wide) -> dict[str, Any]:
    side = cells[SIDE]
    own_cells: dict[str, Any] = {}
    for name, value in cells.items():
        if isinstance(value, Mapping) and value:  # of raters
            own_cells |= flattened(value, f"ratings.{name}.")
        elif name != SIDE:
            own_cells[name] = value
    named = {" ".join(_wide.plain(name)): name for name in own_cells}
    own = next((named[usual] for usual in USUAL["system"] if usual in named), "")
    key = next((named[usual] for usual in USUAL["key"] if usual in named), "")
    if key and filled(own_cells[key]) and not row.has_own(USUAL["key"]):
        is_own = own and row.has_own(USUAL["system"])
        own_cells[key] = key_of(own_cells[key], own_cells[own] if is_own else side)
    if row.has_own(USUAL["system"]):
        return own_cells
    return {("sample" if own else "system"): side, **own_cells}


PRESET = Preset(
    title="Texts of several systems in each row",
    help=__doc__ or "",
    recognises=_recognises,
    shape=_shape,
    unfold=_unfold,
    is_general=True,
)
