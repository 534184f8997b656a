"""The columns of a study's tables. Pure.

One line for a column: the export page, the API with its description, the data set with
its card, and the way back from a data set into a study read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, cast

Row = dict[str, Any]
Reader = Callable[[Any], Any]
Type = Literal["string", "int", "float", "bool", "strings"]
# With a question mark: a cell may be missing. In files, a missing string is empty.
Cell = Type | Literal["string?", "int?", "float?", "bool?"]
Place = Literal["export", "api", "dataset"]
EXPORT, API, DATASET = cast(tuple[Place, ...], ("export", "api", "dataset"))


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    cell: Cell
    help: str
    of: str = ""  # dotted attribute of what a row is made of; empty: the name
    only: Sequence[Place] = (EXPORT, API, DATASET)
    person: bool = False  # it names a rater: what is published has a code instead
    choices: Sequence[str] = ()  # where they are few

    @property
    def type(self) -> Type:
        return cast(Type, self.cell.removesuffix("?"))

    @property
    def optional(self) -> bool:
        """Whether a cell may be missing from a file."""
        return self.cell.endswith("?") and self.type != "string"

    @property
    def nullable(self) -> bool:
        """Whether the API may answer null."""
        return self.cell.endswith("?")

    def reader(self, place: Place) -> Reader:
        """Reads the cell out of what a row is made of."""
        read = _reader(self.of or self.name)
        if self.cell == "string?" and place != API:
            return lambda source: read(source) or ""
        return read


def _reader(path: str) -> Reader:
    """None where there is nothing on the way."""
    if "." not in path:
        return attrgetter(path)
    *parents, last = map(attrgetter, path.split("."))

    def read(source: Any) -> Any:
        for parent in parents:
            if (source := parent(source)) is None:
                return None
        return last(source)

    return read


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    name: str
    help: str
    columns: Sequence[Column]
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
        columns = self.at(place)
        cells = [(c.name, readers.get(c.name) or c.reader(place)) for c in columns]
        for source in sources:
            yield {name: read(source) for name, read in cells}

    def select(self, queryset: Any, place: Place, **readers: Reader) -> Iterator[Row]:
        """The same without a model's instance, for millions of rows.

        `readers` turn what stands in a column of the database into the cell.
        """
        columns = self.at(place)
        names = [column.name for column in columns]
        paths = [(column.of or column.name).replace(".", "__") for column in columns]
        for cells in queryset.values_list(*paths).iterator(chunk_size=5000):
            row = dict(zip(names, cells, strict=True))
            for name, read in readers.items():
                row[name] = read(row[name])
            yield row
