"""What a preset says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.imports._account import Account
from annotation.imports._verbs import Records
from annotation.imports.files import Record, Table

__all__ = ["Preset", "Recognises", "Records", "Shape", "has", "some"]

Recognises = Callable[[Table, Sequence[Record]], bool]
Votes = Callable[[Iterator[Record]], Iterator[dict[str, Any]]]


class Shape(NamedTuple):
    """What is asked where a table of this shape may as well be read as it stands."""

    sentence: str
    is_for_people: bool = False  # the other reading is as likely


@dataclass(frozen=True)
class Preset:
    """A kind of file, by its columns, and what they mean."""

    title: str
    help: str
    recognises: Recognises
    # Roles by column. Columns that are not named are ignored; left out: guessed.
    mapping: Mapping[str, str] = field(default_factory=dict)
    # Makes other records of those in the file: a recipe of `_verbs`. The account is
    # told of each cell that it does not hand on, and why.
    unfold: Callable[[Records, Account], Records] | None = None
    # Columns that it makes them of, or their beginnings with a dot; empty: it hands on
    # what it does not know. What stands in others is not used.
    takes: Collection[str] = ()
    takes_questions: bool = False  # as the first record, where the file has them
    scale: str = ""  # empty: by the ratings
    people: Collection[str] = ()  # systems that are people
    lower_is_better: Collection[str] = ()  # aspects
    verbalizers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What is asked, by the name of the ratings: fields of an aspect.
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    note: str = ""  # what to know before the import
    # Of a file with choices between two texts: each as a row that `read_votes` takes
    # (pair, first, second, outcome, worker, question). The texts come by `unfold`.
    votes: Votes | None = None
    # What to ask about a table that is recognised; None: there is no doubt.
    shape: Callable[[Table, Sequence[Record]], Shape | None] | None = None
    # Recognised by the shape of its cells: asked after all that know their columns.
    is_general: bool = False


def has(*columns: str) -> Recognises:
    """Whether a file has all of these columns, in any case."""
    wanted = {column.lower() for column in columns}
    return lambda table, first: wanted <= {name.lower() for name in table.columns}


def some(*beginnings: str) -> Recognises:
    """Whether for each of these beginnings there is a column, in any case."""
    wanted = [one.lower() for one in beginnings]
    return lambda table, first: all(
        any(name.lower().startswith(begin) for name in table.columns)
        for begin in wanted
    )
