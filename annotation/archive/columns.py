"""The columns of a study's tables. Pure.

One line for a column: the export page, the API with its description, the data set with
its card, and the way back from a data set into a study read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal, cast

Row = dict[str, Any]
Reader = Callable[[Any], Any]
Type = Literal["string", "int", "float", "bool", "strings", "time"]
# With a question mark: a cell may be missing. A string that is missing is empty; where
# it has a question mark, it is null in the API.
Cell = Type | Literal["string?", "int?", "float?", "bool?"]
Place = Literal["export", "api", "dataset"]
EXPORT, API, DATASET = cast(tuple[Place, ...], ("export", "api", "dataset"))


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    cell: Cell
    help: str = ""
    only: Sequence[Place] = (EXPORT, API, DATASET)
    person: bool = False  # it names a rater: what is published has a code instead
    choices: Sequence[Any] = ()  # where they are few

    @property
    def type(self) -> Type:
        return cast(Type, self.cell.removesuffix("?"))

    @property
    def nullable(self) -> bool:
        return self.cell.endswith("?")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    name: str
    help: str
    columns: Sequence[Column]
    # Dotted attributes of what a row is made of, where they have another name.
    of: Mapping[str, str] = field(default_factory=dict)
    key: str = ""  # column that no two rows have alike
    single: bool = False  # answers of single people: only where they allowed it

    @property
    def file(self) -> str:
        """Of a data set."""
        return f"data/{self.name}.parquet"

    def at(self, place: Place) -> list[Column]:
        return [column for column in self.columns if place in column.only]

    def rows(
        self, sources: Iterable[Any], place: Place, **readers: Reader
    ) -> Iterator[Row]:
        """A row of each source.

        `readers` are those of columns that need more than the source.
        """
        cells = [
            (c.name, readers.get(c.name) or _reader(c, self.of.get(c.name), place))
            for c in self.at(place)
        ]
        for source in sources:
            yield {name: read(source) for name, read in cells}

    def select(self, queryset: Any, place: Place, **readers: Reader) -> Iterator[Row]:
        """The same without a model's instance, for millions of rows.

        `readers` turn what stands in a column of the database into the cell.
        """
        names = [column.name for column in self.at(place)]
        paths = [self.of.get(name, name).replace(".", "__") for name in names]
        for cells in queryset.values_list(*paths).iterator(chunk_size=5000):
            row = dict(zip(names, cells, strict=True))
            yield row | {name: read(row[name]) for name, read in readers.items()}


def _reader(column: Column, path: str | None, place: Place) -> Reader:
    read = attrgetter(column.name) if path is None else _path_reader(path)
    if column.type == "time":
        return lambda source: _time(read(source))
    if column.type == "string" and (place != API or not column.nullable):
        return lambda source: read(source) or ""
    return read


def _path_reader(path: str) -> Reader:
    """None where there is nothing on the way."""
    *parents, last = map(attrgetter, path.split("."))

    def read(source: Any) -> Any:
        for parent in parents:
            if (source := parent(source)) is None:
                return None
        return last(source)

    return read


def _time(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
