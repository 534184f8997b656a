"""Lists of objects in each record: texts of systems, or ratings of people.

    {"prompt": "...", "responses": [{"model": "gpt4", "text": "..."}, ...]}
    {"text": "...", "annotations": [{"annotator": "ann", "coherence": 4}, ...]}

Each text comes in with what its object says of it, and with the prompt beside the list;
each object of an annotator is their ratings of the text beside the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports._names import USUAL, words_of
from annotation.imports._profile import FIRST
from annotation.imports.files import Record, Table, beginning
from annotation.imports.presets import _lists
from annotation.imports.presets._preset import Preset, Records
from annotation.imports.presets._segments import key_of
from annotation.imports.presets.long_by_aspect import by_aspect, is_by_aspect

DEEPEST = 3  # texts of systems, their annotations, and a list in one of these


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return bool(_lists.kinds(first[:FIRST]))


def _unfold(records: Records, account: Account) -> Records:
    rows = records
    for _ in range(DEEPEST):
        first = beginning(rows, FIRST)
        kinds = _lists.kinds(first)
        rows = chain(first, rows)
        if not kinds:
            break
        name = next((n for n, kind in kinds.items() if kind == _lists.TEXTS), "")
        name = name or next(iter(kinds))
        rows = _spread(rows, name, kinds[name] == _lists.TEXTS, account)
    first = beginning(rows, FIRST)
    rows = chain(first, rows)
    yield from by_aspect(rows, account) if is_by_aspect(first) else rows


def _spread(records: Records, name: str, of_texts: bool, account: Account) -> Records:
    for line, cells in records:
        objects = _lists.objects_in(name, cells.get(name))
        if not objects and of_texts:
            _verbs.set_aside(cells, account, _verbs.NO_ITEM)
        elif not objects:
            yield Record(line, cells)
        if len(objects) > _verbs.MOST:
            account.set_aside(name, len(objects) - _verbs.MOST, _verbs.TOO_MANY)
        rest = {column: cell for column, cell in cells.items() if column != name}
        for place, fields in enumerate(objects[: _verbs.MOST], start=1):
            if of_texts:
                row = _lists.beside_texts(rest, fields)
                yield Record(line, _with_id(row, objects, place))
            else:
                yield Record(line, _lists.beside_ratings(rest, fields, name))


def _with_id(row: dict[str, Any], objects: Any, place: int) -> dict[str, Any]:
    """The ID of the row names none of its texts: with the system's name it does."""
    named = {words_of(column): column for column in row}
    key = next((named[usual] for usual in USUAL["key"] if usual in named), "")
    if key and filled(row[key]) and not any(key in fields for fields in objects):
        system = next((row[named[s]] for s in USUAL["system"] if s in named), place)
        return {**row, key: key_of(row[key], system)}
    return row


PRESET = Preset(
    title="Lists of objects in each record",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
