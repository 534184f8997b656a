"""A file as the assistant sees it: its kind, its columns and what they mean. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from annotation.imports import (
    _account,
    _mapping,
    _parts,
    _rated,
    _totals,
    files,
    presets,
)
from annotation.imports._account import Account, filled
from annotation.imports._checks import plain
from annotation.imports._names import IGNORE
from annotation.imports._problems import Unreadable, shown
from annotation.imports._profile import FIRST, Column, Records
from annotation.imports._source import Source
from annotation.imports._verbs import set_aside
from annotation.imports.files import PART, Record, Table, beginning
from annotation.imports.presets import Preset, Shape

NOBODY = Preset("", "", lambda table, first: False)
# What makes a text another text, beside its words.
OF_TEXT = ("text", "system", "prompt", "prefix", "source", "label", "messages")


@dataclass
class Opened:
    """A file with a mapping. Its records can be read as often as needed."""

    table: Table
    mapping: dict[str, str]  # every column, ignored ones too
    first: list[Record]
    records: Records
    preset: str = ""
    names: Collection[str] = ()  # of all columns
    in_doubt: Collection[str] = ()  # proposed as ratings by their content alone
    is_guessed: bool = False  # whether roles come from names and content alone
    shape: Shape | None = None  # what is asked about the preset

    @property
    def ready(self) -> Preset:
        return presets.PRESETS.get(self.preset, NOBODY)


def opened(
    source: Source,
    *,
    sheet: str = "",
    preset: str | None = None,
    mapping: Any = None,
    guess: bool = False,
    encoding: str = "",
    whole: bool = True,
) -> Opened:
    """Recognise the file, and guess what nobody has said.

    Args:
        source: The file; its account is told of all cells, and why columns are ignored.
        sheet: Of a workbook; empty: the one that holds most.
        preset: Its name; None: as recognised; empty: none.
        mapping: Roles by column, as said by people.
        guess: What it does not name, rather than ignore it.
        encoding: Of text; empty: as recognised.
        whole: Look at all of it, or at its beginning: enough for a page that waits.

    Raises:
        Unreadable: The problem is noted.
    """
    table = files.opened(source, sheet=sheet, encoding=encoding)
    raw = beginning(table.records, FIRST)
    named = presets.recognised(table, raw) if preset is None else preset
    stream = chain(raw, table.records) if whole else iter(raw)
    records = _looked_at(stream, named, table, source)
    if preset is None and not named and (late := presets.recognised(table, raw)):
        named, source.account = late, source.account.emptied()
        records = _looked_at(iter(records), late, table, source)
    ready = presets.PRESETS.get(named, NOBODY)
    names = list(
        dict.fromkeys([*([] if ready.unfold else table.columns), *records.columns])
    )
    in_doubt: list[str] = []
    is_guessed = False
    if mapping and not guess:
        known = {name: mapping.get(name, IGNORE) for name in names}
    else:
        known = _ready_mapping(ready.mapping, names)
        if is_guessed := not known:
            known, in_doubt = _guessed(names, records, source.account, table)
        known = _mapping.moved(known, mapping or {})
    _explain(known, records, table, source.account)
    shape = ready.shape(table, raw) if ready.shape else None
    return Opened(
        *(table, known, records.first, records, named, names, in_doubt),
        is_guessed=is_guessed,
        shape=shape,
    )


def _looked_at(
    stream: Iterator[Record], preset: str, table: Table, source: Source
) -> Records:
    ready = presets.PRESETS.get(preset, NOBODY)
    if preset and not ready.mapping and not ready.unfold:
        source.problems.add(ready.note)
        raise Unreadable
    if ready.takes_questions and table.questions:
        stream = chain([table.questions], stream)
    if ready.unfold:
        account = source.account
        stream = ready.unfold(_without_rest(stream, ready, table.own, account), account)
    stream = _limited(stream, source)
    records = Records(stream, source.account, _mapping.IDS, _totals.may_be)
    _leave_out_totals(records, table, source.account)
    return records


def _leave_out_totals(records: Records, table: Table, account: Account) -> None:
    found = _totals.of(records.aside, records.columns, records.n)
    records.settle(found)
    for record in found.values():
        set_aside(record.cells, account, _totals.IN_A_TOTAL)
    table.notes += _totals.note([one.line for one in found.values()], table.unit)


def _limited(records: Iterable[Record], source: Source) -> Iterator[Record]:
    """A row of a packed file takes hardly a byte of it, but some room on the disk."""
    for n, record in enumerate(records):
        if n == source.limits.lines:
            source.problems.add(f"The file has more than {n:,} rows: split it.")
            raise Unreadable
        yield record


def _without_rest(
    records: Iterator[Record], ready: Preset, own: Collection[str], account: Account
) -> Iterator[Record]:
    """Note the cells that a ready mapping never looks at."""
    begins = tuple(one for one in ready.takes if one.endswith("."))
    for record in records:
        for name, value in record.cells.items() if ready.takes else ():
            taken = name in ready.takes or name.startswith(begins)
            if filled(value) and not taken and name not in own:
                account.set_aside(name)
        yield record


def _ready_mapping(mapping: Mapping[str, str], names: list[str]) -> dict[str, str]:
    by_name = {name.lower(): role for name, role in mapping.items()}
    found = {name: by_name.get(name.lower(), IGNORE) for name in names}
    return found if mapping else {}


def _guessed(
    names: list[str], records: Records, account: Account, table: Table
) -> tuple[dict[str, str], list[str]]:
    """Roles by column, and the columns about which there is doubt."""
    unit = table.unit

    def is_id(column: str, roles: Mapping[str, str]) -> bool:
        lines = _other_text(column, roles, records)
        if lines:
            account.refuse(
                column,
                _account.IDS_DIFFER,
                f"equal IDs stand at different texts, as on {unit} {lines[0]:,} and"
                f" {unit} {lines[1]:,}: they may name prompts, documents or items",
            )
        return not lines

    columns = [records.columns.get(name) or Column(name) for name in names]
    roles, in_doubt = _mapping.guess(columns, records.first, is_id)
    if roles.get(PART) == IGNORE and (PART in table.own or table.kind == "json"):
        roles[PART], is_in_doubt = _parts.role_of_parts(roles, records)
        in_doubt += [PART] if is_in_doubt else []
    return roles, in_doubt


def _other_text(
    column: str, roles: Mapping[str, str], records: Iterable[Record]
) -> tuple[int, int] | None:
    """Two lines with one id and two texts; None: there are none."""
    wanted = [name for name, role in roles.items() if role in OF_TEXT]
    first: dict[int, tuple[int, int]] = {}
    for record in records:
        cells = record.cells
        if (value := cells.get(column)) in (None, ""):
            continue
        text = hash(tuple(plain(str(cells.get(name) or "")) for name in wanted))
        before = first.setdefault(hash(str(value)), (text, record.line))
        if before[0] != text:
            return before[1], record.line
    return None


def _explain(
    roles: Mapping[str, str], records: Records, table: Table, account: Account
) -> None:
    """Tell the account what columns become, and why others become nothing."""
    account.place({n: "" if r == IGNORE else r for n, r in roles.items()})
    for name, role in roles.items():
        column = records.columns.get(name)
        if role != IGNORE or column is None:
            continue
        if name in table.own:
            account.forget(name)
        elif _rated.looks_rated(column):
            odd = f"they are not numbers, such as {shown(column.odd)}"
            account.refuse(name, _account.NOT_NUMBERS, odd)
        elif _rated.is_off_scale(column):
            ends = f"they go from {column.low:g} to {column.high + 0.0:g}"
            no_scale = f"{ends}, and no scale here goes beyond -5 and 100: divide them"
            account.refuse(name, _account.NO_SCALE, no_scale)
