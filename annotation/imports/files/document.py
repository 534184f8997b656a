"""One JSON value: a list of records, or an object that holds them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.imports._account import filled
from annotation.imports._json import JSONError, Lenient
from annotation.imports._problems import shown
from annotation.imports._source import BOM, Source
from annotation.imports.files import _header, _places
from annotation.imports.files._places import NAME
from annotation.imports.files._table import Table, names, of_objects, stop

__all__ = ["NAME", "holds_records", "table"]

Rows = Iterator[tuple[int, dict[str, Any]]]
NAMED = 5  # lists, in a note
SPACE = 200  # characters at most between two records
NO_RECORDS = (
    "The file holds one object, and no list of records with a text was found in it:"
    " write a list of objects, each with a text."
)


def table(source: Source) -> Table:
    text = source.document().removeprefix(BOM.decode())
    json_of = Lenient()
    try:
        value = json_of.loads(text)
    except JSONError as error:
        line = text.count("\n", 0, error.position) + 1
        stop(
            source, f"The file is not valid JSON: {error}, on line {line}. Correct it."
        )
    notes = json_of.notes()
    return of_objects("json", "item", _records(value, source, notes), source, notes)


def first_records(content: bytes) -> bytes:
    """As many records of a list as are whole in its first bytes, as a list."""
    text = content.decode(errors="ignore").lstrip()
    decoder, at, last = json.JSONDecoder(), 1, 1
    while text.startswith("["):
        try:
            _, last = decoder.raw_decode(text, _after_space(text, at))
        except (ValueError, RecursionError):
            break
        at = _after_space(text, last) + 1  # a comma, but for the end
        if text[at - 1 : at] != ",":
            break
    return f"{text[:last]}]".encode() if last > 1 else b"[]"


def _after_space(text: str, at: int) -> int:
    return at + SPACE - len(text[at : at + SPACE].ljust(SPACE, "x").lstrip())


def holds_records(value: Mapping[str, Any]) -> bool:
    if _columns(value) is not None or _lines(value) is not None:
        return True
    return _places.best(value) is not None or _are_objects(value)


def _records(value: Any, source: Source, notes: list[str]) -> Rows:
    if isinstance(value, list):
        return _of_list(value, source, notes)
    if not isinstance(value, Mapping):
        stop(source, "The file must hold a list of records, each with a text.")
    if (rows := _by_column(value) or _columns(value)) is not None:
        return enumerate(rows, start=1)
    if (lines := _lines(value)) is not None:
        return _of_list(lines, source, notes)
    if place := _places.best(value):
        _set_aside(value, place, source)
        if place.said:
            told = ", ".join(map(shown, place.said[:NAMED]))
            more = " and others" if len(place.said) > NAMED else ""
            notes.append(f"The records are those under {told}{more}.")
        return enumerate((dict(row) for row in place.rows), start=1)
    if _are_objects(value):
        return enumerate(({NAME: key, **one} for key, one in value.items()), start=1)
    if _places.is_record(value) or _has_words(value):
        return enumerate([dict(value)], start=1)
    stop(source, NO_RECORDS)


def _set_aside(value: Mapping[str, Any], place: _places.Place, source: Source) -> None:
    """Tell the account what stands beside the records, on each level."""
    if not place.path and not place.beside:
        return  # all names are those of records
    node: Any = value
    for depth in range(len(place.path) + bool(place.beside)):
        on_path = place.path[depth : depth + 1] or place.beside
        before = ".".join((*place.path[:depth], ""))
        for name, cell in node.items() if isinstance(node, Mapping) else ():
            if name not in on_path and filled(cell):
                n = len(cell) if isinstance(cell, list) else 1
                source.account.set_aside(f"{before}{name}", n)
        node = node.get(on_path[0]) if isinstance(node, Mapping) else None


def _of_list(value: Sequence[Any], source: Source, notes: list[str]) -> Rows:
    if len(value) > 1 and all(isinstance(one, list) for one in value):
        yield from _of_lines(value, source, notes)
        return
    for number, one in enumerate(value, start=1):
        if isinstance(one, dict):
            yield number, one
        elif isinstance(one, str) and one.strip():
            yield number, {"text": one}
        else:
            source.problems.add("must be an object in curly brackets", number)


def _of_lines(lines: Sequence[list[Any]], source: Source, notes: list[str]) -> Rows:
    """A table: a list of lists, the first of which has the names."""
    head = _header.found(iter(list(enumerate(lines, start=1))), "item", may_lack=True)
    columns = names(head.cells)
    notes += head.notes
    for number, cells in head.rows:
        if len(cells) == len(columns):
            yield number, dict(zip(columns, cells, strict=True))
        else:
            told = f"has {len(cells)} cells, but the header has {len(columns)}"
            source.problems.add(f"{told}: give each as many", number)


def _lines(value: Mapping[str, Any]) -> list[list[Any]] | None:
    """Of {"columns": ["text"], "data": [["A."]]}, as pandas writes it ("split")."""
    columns, data = value.get("columns"), value.get("data")
    if not isinstance(columns, list) or not isinstance(data, list):
        return None
    are_lists = data and all(isinstance(one, list) for one in data)
    return [columns, *data] if are_lists and len(columns) == len(data[0]) else None


def _columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Of {"text": ["A.", "B."], "system": ["a", "b"]}: its rows."""
    lists = list(value.values())
    if len(lists) < 2 or not all(isinstance(one, list) for one in lists):
        return None
    lengths = {len(one) for one in lists}
    if len(lengths) > 1 or len(lists[0]) < 2:
        return None
    if any(isinstance(cell, list | dict) for one in lists for cell in one):
        return None
    return [dict(zip(value, row, strict=True)) for row in zip(*lists, strict=True)]


def _by_column(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Of {"text": {"0": "A.", "1": "B."}, "system": {...}}, as pandas writes it."""
    if not _are_objects(value):
        return None
    first: Mapping[str, Any] = next(iter(value.values()))
    if not all(key.isdigit() for key in first) or any(
        isinstance(cell, list | dict) for cell in first.values()
    ):
        return None
    if any(set(one) != set(first) for one in value.values()):
        return None
    return [{name: one[key] for name, one in value.items()} for key in first]


def _are_objects(value: Mapping[str, Any]) -> bool:
    inner = value.values()
    return len(value) > 1 and all(isinstance(one, Mapping) and one for one in inner)


def _has_words(value: Mapping[str, Any]) -> bool:
    cells = value.values()
    return any(isinstance(c, str) and len(c.split()) >= _places.WORDS for c in cells)
