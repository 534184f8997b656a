"""One JSON value: a list of records, or an object that holds them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.imports._account import filled
from annotation.imports._json import JSONError, loads
from annotation.imports._source import BOM, Source
from annotation.imports.files._table import Table, of_objects, stop

NAME = "key"  # of the column with the names under which an object holds the records

# How files call the list of their records. Others are lists within one record.
LISTS = (
    *("data", "examples", "generations", "instances", "items", "outputs", "records"),
    *("rows", "samples", "texts", "train", "test", "validation"),
)


def table(source: Source) -> Table:
    text = source.document().removeprefix(BOM.decode())
    try:
        value = loads(text)
    except JSONError as error:
        line = text.count("\n", 0, error.position) + 1
        stop(
            source, f"The file is not valid JSON: {error}, on line {line}. Correct it."
        )
    return of_objects("json", "item", enumerate(_records(value, source), 1), source)


def holds_records(value: Mapping[str, Any]) -> bool:
    if _list_in(value):
        return True
    inner = value.values()
    return len(value) > 1 and all(isinstance(one, Mapping) and one for one in inner)


def _records(value: Any, source: Source) -> Iterator[dict[str, Any]]:
    if isinstance(value, Mapping):
        if found := _list_in(value):
            for name, other in value.items():
                if other is not found and filled(other):
                    n = len(other) if isinstance(other, list) else 1
                    source.account.set_aside(name, n)
            value = found
        elif holds_records(value):
            yield from _rows_of(value)
            return
        else:
            value = [value]
    if not isinstance(value, list):
        stop(source, "The file must hold a list of records, each with a text.")
    for number, one in enumerate(value, start=1):
        if isinstance(one, dict):
            yield one
        else:
            source.problems.add("must be an object in curly brackets", number)


def _list_in(value: Mapping[str, Any]) -> list[Any] | None:
    """Of {"instances": [{}, {}], "about": ...}: the list of objects."""
    found = [
        one
        for name, one in value.items()
        if (name.lower() in LISTS or len(value) == 1)
        and isinstance(one, list)
        and one
        and all(isinstance(row, dict) for row in one)
    ]
    return max(found, key=len, default=None)


def _rows_of(value: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    first = next(iter(value.values()))
    if all(set(one) == set(first) for one in value.values()) and all(
        not isinstance(cell, list | dict) for cell in first.values()
    ):
        keys = list(first)
        if all(key.isdigit() for key in keys):  # by column, as pandas writes it
            for key in keys:
                yield {name: column[key] for name, column in value.items()}
            return
    for key, one in value.items():
        yield {NAME: key, **one}
