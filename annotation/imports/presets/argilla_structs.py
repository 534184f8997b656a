"""Argilla 1 (feedback datasets) and nested records of Argilla 2.

The answers to a question are a list of objects with `user_id`, `value` and `status`, or
on the hub an object of three lists. Submitted answers become ratings of their users;
discarded ones do not count. What a model suggested becomes a score.
(github.com/argilla-io/argilla, FeedbackDataset)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports.files import Record, Table
from annotation.imports.presets import _argilla
from annotation.imports.presets._preset import Preset, Records

OF_ANSWER = ("user_id", "value", "status")
RESPONSES = "responses."  # before the question, in nested records
FIELDS, EXTERNAL = "fields.", "external_id"
SUGGESTED = ("-suggestion", ".suggestion")
NESTED, VALUE = "suggestions.", ".value"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return any(_questions(record.cells) for record in first)


def _questions(cells: dict[str, Any]) -> dict[str, str]:
    """Columns of answers, and how: as one list of objects, or as three lists."""
    found = {}
    for name, value in cells.items():
        if _is_list_of_answers(value):
            found[name] = name
        elif name.endswith(".user_id") and isinstance(value, list):
            begin = name.removesuffix(".user_id")
            if isinstance(cells.get(f"{begin}{VALUE}"), list):
                found[begin] = begin
    return found


def _is_list_of_answers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(one, dict) and {"user_id", "value"} <= set(one) for one in value
        )
    )


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        columns = list(_questions(cells))
        suggested = _suggested(cells)
        gone = {f"{c}.{name}" for c in columns for name in OF_ANSWER} | set(columns)
        gone |= _argilla.about_suggestion(cells, account) | set(suggested.values())
        found = {
            _plain(name, cells): value
            for name, value in cells.items()
            if name not in gone and not _is_about(name, value, account)
        }
        for column in columns:
            question = column.removeprefix(RESPONSES)
            found |= _argilla.ratings(question, _responses(cells, column), account)
        found |= _argilla.suggestions(cells, suggested, account)
        yield Record(line, found)


def _plain(name: str, cells: dict[str, Any]) -> str:
    if name == EXTERNAL and filled(cells[name]) and not filled(cells.get("id")):
        return "id"
    return name.removeprefix(FIELDS)


def _is_about(name: str, value: Any, account: Account) -> bool:
    """How sure a nested suggestion is, and whose."""
    found = name.startswith(NESTED) and not name.endswith(VALUE)
    if found and filled(value):
        account.set_aside(name, words=_argilla.OF_SUGGESTION)
    return found


def _suggested(cells: dict[str, Any]) -> dict[str, str]:
    found = {}
    for name in cells:
        for end in SUGGESTED:
            if name.endswith(end):
                found[name.removesuffix(end)] = name
        if name.startswith(NESTED) and name.endswith(VALUE):
            found[name.removeprefix(NESTED).removesuffix(VALUE)] = name
    return found


def _responses(cells: dict[str, Any], column: str) -> Iterator[tuple[Any, Any, Any]]:
    value = cells.get(column)
    if isinstance(value, list):
        for one in value:
            if isinstance(one, dict):
                yield one.get("user_id"), one.get("value"), one.get("status")
        return
    lists = [cells.get(f"{column}.{name}") for name in OF_ANSWER]
    yield from zip_longest(*(one if isinstance(one, list) else [] for one in lists))


PRESET = Preset(
    title="Argilla, answers as objects",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
