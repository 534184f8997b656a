"""Results as JSON and back, by their types. No database.

A result is made of named tuples and data classes, whose fields say what they hold.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID

import numpy as np


def plain(value: Any) -> Any:
    """As JSON has it. Keys of mappings that are no words become pairs."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return [[plain(key), plain(one)] for key, one in value.items()]
    kind: type = type(value)
    if names := fields(kind):
        return [plain(getattr(value, name)) for name in names]
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(one) for one in value]
    raise TypeError(f"cannot keep a {type(value).__name__}: {value!r}")


def typed(kind: Any, found: Any) -> Any:
    """What `plain` was given, which was of this kind."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if found is None:
            return None
        return typed(next(one for one in parts if one is not type(None)), found)
    if origin is typing.Literal:
        return found
    if isinstance(kind, type) and (fields_of := fields(kind)):
        given = zip(fields_of.items(), found, strict=True)
        return kind(**{name: typed(of, one) for (name, of), one in given})
    return _of_many(origin or kind, parts, found)


def _of_many(kind: Any, parts: tuple[Any, ...], found: Any) -> Any:
    if not parts:
        return kind(found) if isinstance(kind, type) else found
    if issubclass(kind, Mapping):
        return {typed(parts[0], key): typed(parts[1], one) for key, one in found}
    if kind is tuple and parts[-1] is not Ellipsis:
        return tuple(typed(of, one) for of, one in zip(parts, found, strict=True))
    many = [typed(parts[0], one) for one in found]
    return kind(many) if kind in (tuple, set, frozenset) else many


@cache
def fields(kind: type) -> dict[str, Any]:
    """Names of the parts of a named tuple or data class, with their types."""
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = list(kind._fields)
    else:
        return {}
    hints = typing.get_type_hints(kind)
    return {name: hints[name] for name in names}
