"""Verbs that give a table another shape: what ready mappings are made of. Pure.

`rename`, `where`, `without`, `melt` and `explode` take records one by one and hand them
on in another shape; `pick` and `inside` look into one. None keeps more than one record,
and none makes more than MOST of one. A filled cell that does not go on is set aside in
the account, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from annotation.imports._account import Account, filled
from annotation.imports.files import Record

Records = Iterator[Record]
Cells = Mapping[str, Any]

MOST = 1_000  # rows out of one record
TOO_MANY = f"a row has more than {MOST:,} parts"
NOT_EVEN = "the lists beside it have another length"
NO_ITEM = "nothing of any text stands in the row"


class Part(NamedTuple):
    """Where a column that holds something of an item goes."""

    item: str  # rows of it are made
    name: str  # of the cell in its row


def rename(records: Records, name_of: Callable[[str], str]) -> Records:
    """Call columns by other names.

    Of two that would have one name, the first that is filled has it: the other one
    keeps its own, so that neither hides the other.
    """
    for line, cells in records:
        found: dict[str, Any] = {}
        for column, value in cells.items():
            name = name_of(column) or column
            if not filled(value):
                found.setdefault(name, value)
                continue
            if filled(found.get(name)):
                name = f"{column} (2)" if filled(found.get(column)) else column
            found[name] = value
        yield Record(line, found)


def where(
    records: Records,
    fits: Callable[[Cells], bool],
    account: Account,
    words: str,
) -> Records:
    """Records that fit; of the others each filled cell is set aside."""
    for record in records:
        if fits(record.cells):
            yield record
        else:
            set_aside(record.cells, account, words)


def without(
    records: Records, out: Callable[[str], bool], account: Account, words: str
) -> Records:
    """The same without some columns, whose cells are set aside."""
    for line, cells in records:
        kept = {name: value for name, value in cells.items() if not out(name)}
        if len(kept) < len(cells):
            left = {name: value for name, value in cells.items() if name not in kept}
            set_aside(left, account, words)
        yield Record(line, kept)


def melt(
    records: Records,
    part_of: Callable[[str], Part | None],
    account: Account,
    item: str = "text",
    *,
    alone: bool = False,
) -> Records:
    """Columns that hold something of items -> a row for each item.

    Args:
        records: With several items each.
        part_of: Of a column; None: it belongs to all of the record.
        account: Is told of cells that find no place.
        item: What the column with the item is called.
        alone: A record without items goes on as it is: it has something itself.
    """
    for line, cells in records:
        shared: dict[str, Any] = {}
        of_items: dict[str, dict[str, Any]] = {}
        for column, value in cells.items():
            part = part_of(column)
            if part is None:
                shared[column] = value
            elif filled(value):
                if part.item in of_items or len(of_items) < MOST:
                    of_items.setdefault(part.item, {})[part.name] = value
                else:
                    account.set_aside(column, words=TOO_MANY)
        if not of_items and alone:
            yield Record(line, shared)
        elif not of_items:
            set_aside(shared, account, NO_ITEM)
        for name, own in of_items.items():
            yield Record(line, {**shared, item: name, **own})


def explode(records: Records, lists: Collection[str], account: Account) -> Records:
    """Lists side by side in cells -> a row for each place in them.

    What stands in other columns stands in each row. A list of another length than the
    first one's has no places in common with it: it is set aside.
    """
    for line, cells in records:
        found = {c: v for c in lists if isinstance(v := cells.get(c), list) and v}
        n = len(next(iter(found.values()), ()))
        even = {column: v for column, v in found.items() if len(v) == n}
        for column in found.keys() - even.keys():
            account.set_aside(column, words=NOT_EVEN)
        if n > MOST:
            for column in even:
                account.set_aside(column, n - MOST, TOO_MANY)
        rest = {name: v for name, v in cells.items() if name not in found}
        if not n:
            set_aside(rest, account, NO_ITEM)
        for place in range(min(n, MOST)):
            yield Record(line, {**rest, **{c: v[place] for c, v in even.items()}})


def pick(cells: Any, path: str) -> Any:
    """What stands at response.output, however much of the path is a name; else None.

    Files of objects come with some of their levels as columns: {"a.b": {"c": 1}}.
    """
    if not path:
        return cells
    if not isinstance(cells, Mapping):
        return None
    if path in cells:
        return cells[path]
    names = path.split(".")
    for n in range(len(names) - 1, 0, -1):
        begin = ".".join(names[:n])
        if begin in cells:
            return pick(cells[begin], ".".join(names[n:]))
    return None


def inside(cells: Cells, name: str) -> dict[str, Any]:
    """What stands under a name, with the names in it: {"a.b": 1} of a is {"b": 1}."""
    value = cells.get(name)
    found = dict(value) if isinstance(value, Mapping) else {}
    begin = f"{name}."
    for column, cell in cells.items():
        if column.startswith(begin):
            found[column.removeprefix(begin)] = cell
    return found


def set_aside(cells: Cells, account: Account, words: str) -> None:
    """Each filled cell is noted as not used."""
    for column, value in cells.items():
        if filled(value):
            account.set_aside(column, words=words)
