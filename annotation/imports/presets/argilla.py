"""Argilla 2: records of a dataset, flattened, as `to_datasets` and the hub have them.

Of each question three lists stand side by side: answers, users, states. Submitted
answers become ratings of their users; discarded ones and drafts do not count. What a
model suggested becomes a score. (github.com/argilla-io/argilla,
records/_io/_generic.py)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record, Table
from annotation.imports.presets import _argilla
from annotation.imports.presets._preset import Preset, Records

ANSWERS, USERS, STATES = ".responses", ".responses.users", ".responses.status"
SUGGESTED = ".suggestion"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return any(
        name.endswith(ANSWERS) and f"{name}.users" in table.columns
        for name in table.columns
    )


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        questions = [c.removesuffix(ANSWERS) for c in cells if c.endswith(ANSWERS)]
        suggested = {
            c.removesuffix(SUGGESTED): c for c in cells if c.endswith(SUGGESTED)
        }
        gone = _argilla.about_suggestion(cells, account) | set(suggested.values())
        for question in questions:
            gone |= {f"{question}{end}" for end in (ANSWERS, USERS, STATES)}
        found = {name: value for name, value in cells.items() if name not in gone}
        for question in questions:
            responses = _responses(cells, question)
            found |= _argilla.ratings(question, responses, account)
        found |= _argilla.suggestions(cells, suggested, account)
        yield Record(line, found)


def _responses(cells: dict[str, Any], question: str) -> Iterator[tuple[Any, Any, Any]]:
    lists = [_list(cells.get(f"{question}{end}")) for end in (USERS, ANSWERS, STATES)]
    yield from zip_longest(*lists)


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


PRESET = Preset(
    title="Argilla",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
