"""What a preset says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.imports.files import Record, Table

Records = Iterator[Record]


@dataclass(frozen=True)
class Preset:
    """A kind of file, by its columns, and what they mean."""

    title: str
    help: str
    recognises: Callable[[Table, Sequence[Record]], bool]
    # Roles by column. Columns that are not named are ignored; left out: guessed.
    mapping: Mapping[str, str] = field(default_factory=dict)
    # Makes other records of those in the file, where one holds several texts.
    unfold: Callable[[Records], Records] | None = None
    # Columns that it makes them of, or their beginnings with a dot; empty: it hands on
    # what it does not know. What stands in others is not used.
    takes: Collection[str] = ()
    scale: str = ""  # empty: by the ratings
    people: Collection[str] = ()  # systems that are people
    lower_is_better: Collection[str] = ()  # aspects
    verbalizers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What is asked, by the name of the ratings: fields of an aspect.
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    note: str = ""  # what to know before the import


def has(*columns: str) -> Callable[[Table, Sequence[Record]], bool]:
    """Whether a file has all of these columns, in any case."""
    wanted = {column.lower() for column in columns}
    return lambda table, first: wanted <= {name.lower() for name in table.columns}
