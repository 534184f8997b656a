"""What each kind of file becomes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple, NoReturn

from annotation import storable
from annotation.imports._problems import Unreadable
from annotation.imports._source import Source

MOST_COLUMNS = 1000
LOOKED_AT = 100  # records, to learn which fields there are
DEEPEST = 3  # levels of objects that become columns: data.text
LONGEST_NAME = 200


class Record(NamedTuple):
    """One row of a table, or one object."""

    line: int
    cells: dict[str, Any]


@dataclass
class Table:
    """An opened file. Its records can be read once."""

    kind: str
    unit: str  # what its numbers count: line, row, item
    columns: list[str]
    records: Iterator[Record]
    sheets: list[str] = field(default_factory=list)  # of a workbook; others: none
    sheet: str = ""
    headed: bool = True  # whether the columns are named in the file

    @property
    def is_text(self) -> bool:
        return self.kind in ("csv", "jsonl", "json", "zip") and not self.sheets


def stop(source: Source, sentence: str) -> NoReturn:
    """Nothing more can be read."""
    source.problems.add(sentence)
    raise Unreadable


def names(cells: Iterable[Any]) -> list[str]:
    """Column names out of a header: none is empty, and none occurs twice."""
    found: list[str] = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(cells, start=1):
        name = str(cell or "").strip()[:LONGEST_NAME] or f"column {number}"
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def check_columns(columns: Iterable[str], source: Source) -> None:
    """Refuse too many, and names that no page can show and no database keep."""
    columns = list(columns)
    if said := storable.problem_in(columns):
        stop(source, f"The name of a column {said}: rename the column.")
    if (n := len(columns)) > MOST_COLUMNS:
        stop(
            source,
            f"The file has {n:,} columns. The most it may have is {MOST_COLUMNS:,}.",
        )


def of_objects(
    kind: str,
    unit: str,
    objects: Iterator[tuple[int, Mapping[str, Any]]],
    source: Source,
) -> Table:
    """A table out of objects, whose fields are known once some were read."""
    flat = (Record(line, flattened(values)) for line, values in objects)
    first = list(islice(flat, LOOKED_AT))
    columns = list(dict.fromkeys(name for record in first for name in record.cells))
    check_columns(columns, source)
    if not columns:
        stop(source, "The file has no records. Each needs a text, with its field name.")
    return Table(kind, unit, columns, chain(first, flat))


def flattened(
    values: Mapping[str, Any], before: str = "", depth: int = 1
) -> dict[str, Any]:
    """{"data": {"text": 1}} -> {"data.text": 1}. Lists stay as they are."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{before}{key}"[:LONGEST_NAME]
        if isinstance(value, Mapping) and value and depth < DEEPEST:
            found |= flattened(value, f"{name}.", depth + 1)
        else:
            found[name] = value
    return found
