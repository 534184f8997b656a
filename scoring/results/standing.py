"""5. How tables of an analysis stand to the plan of its study. No query, no request.

A bundle brings this file along, so that it makes the same tables without a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from scoring.analyses import pages
from scoring.drawing import tables
from scoring.drawing.tables import Link, Table, Value


@dataclass(frozen=True, slots=True)
class Status:
    """How one analysis stands to the plan."""

    planned: bool  # whether anything of it is
    words: str  # for the page: what, since when, or why not
    query: str | None = None  # options under which it would be planned
    tables: tuple[str, ...] = ()
    what: str = ""  # "Coherence, Pearson r"
    # Rows that are planned, as signature (or label) and output. None: all of them.
    metrics: frozenset[tuple[int | str, str]] | None = None
    locked: bool = False  # whether there is a plan to compare with


def as_json(status: Status) -> dict[str, Any]:
    """To be read by `from_json`."""
    metrics = status.metrics
    named = None if metrics is None else sorted(map(list, metrics), key=str)
    return {**asdict(status), "metrics": named}


def from_json(kept: Mapping[str, Any]) -> Status:
    """What `as_json` made."""
    named = kept["metrics"]
    metrics = None if named is None else frozenset((one, key) for one, key in named)
    return Status(**{**kept, "tables": tuple(kept["tables"]), "metrics": metrics})


def files_of(
    name: str, result: Mapping[str, Any], status: Status, *, simulated: bool
) -> dict[str, Table]:
    """All tables of an analysis, as files have them, by slug."""
    found = {
        key: for_file(table, key, status)
        for key, table in pages.tables(name, result).items()
    }
    if not (simulated and pages.may_be_simulated(name)):
        return found
    return {key: tables.simulated(table) for key, table in found.items()}


def on_screen(table: Table, key: str, found: Status) -> Table:
    """Badges for planned rows; without any plan, the page says it once for all."""
    if not found.locked:
        return table
    rows = [_badged(row, found) for row in table.rows] if key in found.tables else None
    word = "exploratory"
    if key in found.tables:
        word = "planned" if found.metrics is None else "planned in part"
    title = f"{table.title or table.caption.rstrip('.')}, {word}"
    return replace(table, title=title, rows=rows or table.rows)


def for_file(table: Table, key: str, found: Status, *, column: bool = True) -> Table:
    """Say in the table itself whether it was planned, in each row if there is room."""
    planned = key in found.tables
    what = f"Planned: {found.what}. " if planned else "Exploratory."
    rest = "Other metrics are exploratory." if found.metrics is not None else ""
    caption = f"{table.caption} {what}{rest if planned else ''}".strip()
    if not column:
        return replace(table, caption=caption)
    return replace(
        table,
        header=[*table.header, "plan"],
        rows=[[*row, _said(row, found, planned)] for row in table.rows],
        caption=caption,
    )


def _said(row: list[Value], found: Status, planned: bool) -> str:
    of_plan = planned and (found.metrics is None or _names(row, found))
    return f"planned: {found.what}" if of_plan else "exploratory"


def _badged(row: list[Value], found: Status) -> list[Value]:
    if not _names(row, found):
        return row
    first, *rest = row
    assert isinstance(first, Link)
    return [replace(first, badges=(*first.badges, "planned")), *rest]


def _names(row: Iterable[Value], found: Status) -> bool:
    """Whether the row begins with the name of a planned metric."""
    first, metrics = next(iter(row), None), found.metrics or frozenset()
    if not isinstance(first, Link):
        return False
    of_run = (first.args[0], first.args[2]) if first.to == "scatter" else None
    return of_run in metrics or first.text in {one for one, _ in metrics}
