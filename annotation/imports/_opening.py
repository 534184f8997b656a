"""A file as the assistant sees it: its kind, its columns and what they mean. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from annotation.imports import _mapping, files, presets
from annotation.imports._problems import Unreadable
from annotation.imports._source import Source
from annotation.imports.files import Record, Table
from annotation.imports.presets import Preset

LOOKED_AT = 200  # records
NOBODY = Preset("", "", lambda table, first: False)


@dataclass
class Opened:
    """A file with a mapping. Its records can be read once."""

    table: Table
    columns: list[_mapping.Column]
    mapping: dict[str, str]  # every column, ignored ones too
    first: list[Record]
    records: Iterator[Record]
    preset: str = ""

    @property
    def ready(self) -> Preset:
        return presets.PRESETS.get(self.preset, NOBODY)


def opened(
    source: Source,
    *,
    sheet: str = "",
    preset: str | None = None,
    mapping: Any = None,
    encoding: str = "",
) -> Opened:
    """Recognise the file, and guess what nobody has said.

    Args:
        source: The file.
        sheet: Of a workbook; empty: the first.
        preset: Its name; None: as recognised; empty: none.
        mapping: Roles by column, as said by people.
        encoding: Of text; empty: as recognised.

    Raises:
        Unreadable: The problem is noted.
    """
    table = files.opened(source, sheet=sheet, encoding=encoding)
    raw = list(islice(table.records, LOOKED_AT))
    if preset is None:
        preset = presets.recognised(table, raw)
    ready = presets.PRESETS.get(preset, NOBODY)
    if preset and not ready.mapping and not ready.unfold:
        source.problems.add(ready.note)
        raise Unreadable
    records: Iterator[Record] = chain(raw, table.records)
    names = table.columns
    if ready.unfold:
        records = ready.unfold(records)
        first = list(islice(records, LOOKED_AT))
        records = chain(first, records)
        names = list(dict.fromkeys(name for row in first for name in row.cells))
    else:
        first = raw
    columns = _mapping.columns_of(names, first)
    known = _ready_mapping(ready.mapping, names) or _mapping.guess(columns)
    if mapping:
        known = {name: mapping.get(name, _mapping.IGNORE) for name in names}
    return Opened(table, columns, known, first, records, preset)


def _ready_mapping(mapping: Mapping[str, str], names: list[str]) -> dict[str, str]:
    by_name = {name.lower(): role for name, role in mapping.items()}
    found = {name: by_name.get(name.lower(), _mapping.IGNORE) for name in names}
    return found if mapping else {}
