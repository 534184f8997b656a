"""What each kind of file becomes. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple, NoReturn

from annotation import storable
from annotation.imports._problems import Unreadable
from annotation.imports._source import Source

MOST_COLUMNS = 1000
# Columns that begin like this hold answers that do not count: never taken as ratings.
EARLIER, SKIPPED = "earlier: ", "skipped: "
# The column with the name of the list, file or sheet that a record is from, where there
# are several of one kind: a system's or a rater's.
PART = "part"
LOOKED_AT = 100  # records, to recognise the file by its fields
ROOM = 1 << 23  # characters of records that are kept in memory
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
    doubtful: str = ""  # the name of the only column, which may be a text as well
    own: Collection[str] = ()  # columns that say where a record is from: not the file's
    questions: Record | None = None  # what each column asks, where a row says so
    # Sentences on what was passed over. It grows while one reads.
    notes: list[str] = field(default_factory=list)

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
        said = "" if cell is None else str(cell)  # a rater may be called 0
        name = said.strip()[:LONGEST_NAME] or f"column {number}"
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def questions_of(
    row: tuple[int, list[Any]] | None, columns: list[str]
) -> Record | None:
    """What each column asks, of a row below the header."""
    return row and Record(row[0], dict(zip(columns, row[1], strict=False)))


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
    notes: list[str] | None = None,
) -> Table:
    """A table out of objects. Its columns grow, as fields turn up while one reads."""
    columns: list[str] = []
    records = _growing(objects, columns, source)
    first = beginning(records, LOOKED_AT)
    if not columns:
        stop(source, "The file has no records. Each needs a text, with its field name.")
    notes = [] if notes is None else notes
    return Table(kind, unit, columns, chain(first, records), notes=notes)


def beginning(records: Iterator[Record], most: int) -> list[Record]:
    """So many records, or fewer where they are large: these stay in memory."""
    found, left = [], ROOM
    for record in islice(records, most):
        found.append(record)
        left -= len(json.dumps(record.cells, default=str))
        if left < 0:
            break
    return found


def _growing(
    objects: Iterator[tuple[int, Mapping[str, Any]]], columns: list[str], source: Source
) -> Iterator[Record]:
    known: set[str] = set()
    for line, values in objects:
        cells = flattened(values)
        if new := [name for name in cells if name not in known]:
            known.update(new)
            columns += new
            check_columns(columns, source)
        yield Record(line, cells)


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
