"""Objects that are written into the cells of a table, as JSON. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.imports._account import filled
from annotation.imports._json import JSONError, loads
from annotation.imports.files import Record
from annotation.imports.files._table import flattened

LONGEST = 1 << 20  # characters of a cell


def object_in(cell: Any) -> dict[str, Any]:
    """The object, flat; empty: there is none in the cell."""
    if isinstance(cell, str) and cell.strip()[:1] == "{" and len(cell) < LONGEST:
        try:
            cell = loads(cell)
        except JSONError:
            return {}
    return flattened(cell) if isinstance(cell, Mapping) else {}


def columns_of_objects(first: Sequence[Record]) -> list[str]:
    """Those of which half of the filled cells or more are objects."""
    seen: dict[str, list[bool]] = {}
    for record in first:
        for name, cell in record.cells.items():
            if filled(cell):
                is_written = isinstance(cell, str) and bool(object_in(cell))
                seen.setdefault(name, []).append(is_written)
    return [name for name, objects in seen.items() if 2 * sum(objects) >= len(objects)]


def unpacked(cells: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    """{"response": '{"fluency": 4}'} -> {"response.fluency": 4}."""
    flat: dict[str, Any] = {}
    for name, cell in cells.items():
        inner = object_in(cell) if name in columns else {}
        if inner:
            flat |= {f"{name}.{field}": value for field, value in inner.items()}
        else:
            flat[name] = cell
    return flat
