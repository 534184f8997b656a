"""Where in one JSON value the records are: at any name, and inside other objects. Pure.

An object of unknown shape was one record, so a file of 500 answers became one text: the
name of a person, or of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from annotation.imports import _names
from annotation.imports.files._table import PART

NAME = "key"  # of the column with the names under which an object holds the records

# How files call the list of their records. Others are more often lists beside them.
LISTS = (
    *("data", "examples", "generations", "instances", "items", "outputs", "records"),
    *("rows", "samples", "texts", "train", "test", "validation"),
)
SPLITS = ("train", "test", "validation", "valid", "dev")
WEIGHT = 5  # of such a name, against the number of records
DEEPEST = 6  # objects in objects
LOOKED_AT = 20  # records
WORDS = 3  # of a cell that may be a text
CHAT = ({"role", "content"}, {"from", "value"}, {"speaker", "text"})
Objects = Sequence[Mapping[str, Any]]


class Place(NamedTuple):
    path: tuple[str, ...]  # names, from the outside
    rows: Objects
    beside: tuple[str, ...] = ()  # names there that the rows are made of

    @property
    def worth(self) -> tuple[bool, int]:
        first = (*self.path, *self.beside)[:1]
        named = len(self.path) < 2 and any(one.lower() in LISTS for one in first)
        has_text = any(map(_has_text, self.rows[:LOOKED_AT]))
        return has_text, len(self.rows) * (WEIGHT if named else 1)

    @property
    def said(self) -> list[str]:
        """Where they are; nothing where nobody would look elsewhere."""
        if self.path and self.path[-1].lower() in LISTS and not self.beside:
            return []
        if not self.beside:
            return [".".join(self.path)] if self.path else []
        lists = self.beside if PART in self.rows[0] else self.beside[:1]
        return [".".join((*self.path, name)) for name in lists]


def best(value: Mapping[str, Any]) -> Place | None:
    """The longest list of objects in a value that is not one record itself."""
    if is_record(value):
        return None
    if parts := _of_parts(value):
        return Place((), parts)
    if (rows := of_names(value)) is not None:
        inner = [one.rows for one in _inside((), rows)]
        return Place((), max([rows, *inner], key=len))
    return max(_in(value, ()), key=lambda place: place.worth, default=None)


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object has a text itself, by its name."""
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    return any(
        _names.is_of_texts(name) and isinstance(cell, str) or is_chat(name, cell)
        for one in (value, *inner[:LOOKED_AT])
        for name, cell in one.items()
    )


def is_chat(name: str, cell: Any) -> bool:
    if not is_objects(cell):
        return False
    holds_lists = any(map(is_objects, cell[0].values()))
    known = _names.is_of_messages(name) and not holds_lists
    return known or any(one <= set(cell[0]) for one in CHAT)


def is_objects(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) for one in value)
    )


def of_names(value: Mapping[str, Any]) -> Objects | None:
    """Of {"a": {...}, "b": {...}}: the objects, if they are of one kind."""
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(one, Mapping) and one for one in inner):
        return None
    if not all(_are_alike(inner[0], one) for one in inner):
        return None
    return [{NAME: key, **one} for key, one in value.items()]


def _of_parts(value: Mapping[str, Any]) -> Objects:
    """Of {"gpt4": {"item 1": {"text": ...}, ...}, ...}: the inner objects."""
    found: list[dict[str, Any]] = []
    for part, inner in value.items():
        rows = of_names(inner) if isinstance(inner, Mapping) else None
        if rows is None or not all(any(map(_is_words, row.values())) for row in rows):
            return []
        found += [{PART: part, **row} for row in rows]
    return found if len(value) > 1 else []


def _is_words(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell.split()) >= WORDS


def _are_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return 2 * len(one.keys() & other.keys()) >= min(len(one), len(other))


def _in(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Place]:
    lists = {name: one for name, one in value.items() if is_objects(one)}
    yield from _by_id(value, path)
    yield from _together(_one_list_each(value), path)
    yield from _together(lists, path)
    for name, one in value.items():
        here = (*path, name)
        if name in lists:
            yield Place(here, one)
            yield from _inside(here, one)
        elif isinstance(one, Mapping) and len(here) < DEEPEST:
            if (rows := of_names(one)) is not None:
                yield Place(here, rows)
            yield from _in(one, here)


def _together(lists: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Place]:
    """Lists of one kind under the names of systems, or of parts of a data set."""
    small = {name: name.lower() for name in lists}
    wanted = [n for n in lists if small[n] not in LISTS or small[n] in SPLITS]
    parts = [n for n in wanted if small[n] in SPLITS] or wanted
    if len(parts) < 2:
        return
    first = lists[parts[0]][0]
    if all(_are_alike(first, lists[name][0]) for name in parts[1:]):
        rows = [{PART: name, **one} for name in parts for one in lists[name]]
        yield Place(path, rows, tuple(parts))


def _one_list_each(value: Mapping[str, Any]) -> dict[str, Objects]:
    """Of {"gpt4": {"outputs": [{}, {}], "seed": 1}, ...}: lists under one name, with
    what stands beside each."""
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    if len(inner) < len(value) or len(inner) < 2:
        return {}
    names = [n for n in inner[0] if all(is_objects(one.get(n)) for one in inner)]
    if len(names) != 1:
        return {}
    return {name: list(_with_outer(names[0], one)) for name, one in value.items()}


def _inside(path: tuple[str, ...], rows: Objects) -> Iterator[Place]:
    """Of [{"model": "a", "outputs": [{}, {}]}, ...]: the inner objects, with "model".

    Only of objects that have no text of their own: others hold messages, or answers of
    people.
    """
    first = rows[:LOOKED_AT]
    if any(_has_text(one) for one in first):
        return
    for name, cell in first[0].items():
        if is_objects(cell) and not is_chat(name, cell):
            outer = map(_called_system, rows) if _is_of_systems(path) else rows
            found = [row for one in outer for row in _with_outer(name, one)]
            if len(found) > len(rows):
                yield Place((*path, name), found)


def _is_of_systems(path: tuple[str, ...]) -> bool:
    return bool(path) and path[-1].lower() in ("systems", "models")


def _called_system(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of {"models": [{"name": "gpt4", ...}]} the name is that of the system."""
    if "name" not in value or "system" in value or "model" in value:
        return value
    return {"system" if key == "name" else key: cell for key, cell in value.items()}


def _has_text(value: Mapping[str, Any]) -> bool:
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    cells = (cell for one in (value, *inner) for cell in one.values())
    return any(map(_is_words, cells))


def _with_outer(name: str, outer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    rows = outer.get(name)
    rest = {key: cell for key, cell in outer.items() if not isinstance(cell, list)}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield {**{k: c for k, c in rest.items() if k not in row}, **row}


def _by_id(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Place]:
    """Of {"user": "ann", "labels": {"item 1": [...], ...}, "times": {"item 1": ...}}.

    Several objects with the same keys say of each item one thing each.
    """
    held = {n: one for n, one in value.items() if isinstance(one, Mapping)}
    lists = [n for n, one in held.items() if len(one) > 1 and _are_lists(one)]
    if not lists:
        return
    keys = held[max(lists, key=lambda name: len(held[name]))].keys()
    named = [n for n, one in held.items() if one and one.keys() <= keys]
    plain = {n: c for n, c in value.items() if not isinstance(c, Mapping | list)}
    rows = [
        {NAME: key, **plain, **{n: held[n][key] for n in named if key in held[n]}}
        for key in keys
    ]
    yield Place(path, rows, (lists[0], *named, *plain))


def _are_lists(value: Mapping[str, Any]) -> bool:
    return all(isinstance(one, list) for one in islice(value.values(), LOOKED_AT))
