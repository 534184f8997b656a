"""The folder of a data set, as far as an import reads it. No Django."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotation import storable
from annotation.archive.columns import DATASET, Table
from scoring.archive.parquet import Mismatch
from scoring.archive.restore import parquet_rows
from scoring.archive.tables import BY_NAME, FORMAT, MARK

DESIGN = "replication/design.json"
LONGEST = 16 * 1024 * 1024  # bytes of a file of JSON
LONGEST_TEXT = 200_000  # characters of one cell
AT_ONCE = 2_000  # rows
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Folder:
    """Tables are read when they are asked for."""

    path: Path
    most: int  # rows of a table
    level: str
    design: dict[str, Any]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def has_single_ratings(self) -> bool:
        """All of them: of a part, means would be others."""
        return self.level == "all"

    def rows(self, table: str) -> Iterator[Row]:
        """Each row, none with what no database can keep."""
        told = BY_NAME[table]
        rows = parquet_rows.read(told, self.path, most=self.most)
        for number, row in enumerate(rows, start=1):
            _check(told, number, row)
            yield row

    def batches(self, table: str) -> Iterator[list[Row]]:
        """The same, some at a time."""
        rows = self.rows(table)
        while batch := list(islice(rows, AT_ONCE)):
            yield batch

    def listed(self, name: str) -> list[dict[str, Any]]:
        """A list of objects of the design; empty where it is none."""
        found = self.design.get(name)
        if not isinstance(found, list) or len(found) > 1000:
            return []
        return [one for one in found if isinstance(one, dict)]


def is_meant(path: Path) -> bool:
    """Whether EvalApp wrote this folder."""
    return (path / MARK).is_file()


def opened(path: Path, *, most: int) -> Folder:
    """Look at what says which folder it is.

    Raises:
        Mismatch: If it is none, or one of a later EvalApp.
    """
    if not is_meant(path):
        raise Mismatch(
            f"{path.name} is not a data set of EvalApp: it has no file {MARK}."
        )
    mark = _json(path / MARK)
    if mark.get("format") != "evalapp-dataset":
        raise Mismatch(f"{MARK} does not describe a data set of EvalApp.")
    version = mark.get("version")
    if not isinstance(version, int) or version > FORMAT:
        raise Mismatch("This data set is from a later EvalApp: install that one first.")
    return Folder(path, most, str(mark.get("single_ratings")), _json(path / DESIGN))


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LONGEST:
            raise Mismatch(f"{path.name} is larger than {LONGEST // 2**20} MB.")
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise Mismatch(f"The file {path.name} is missing.") from None
    except (ValueError, RecursionError):
        raise Mismatch(f"{path.name} is not JSON.") from None
    if not isinstance(found, dict):
        raise Mismatch(f"{path.name} is not an object.")
    return found


def _check(table: Table, number: int, row: Row) -> None:
    for field in table.at(DATASET):
        value = row[field.name]
        if said := _problem(value, field.nullable and field.type != "string"):
            raise Mismatch(f"{table.name}, row {number}: {field.name} {said}.")


def _problem(value: Any, optional: bool) -> str:
    """Why a cell cannot be kept, as the end of a sentence; empty if it can."""
    if isinstance(value, list):
        return next(filter(None, (_problem(one, False) for one in value)), "")
    if value is None:
        return "" if optional else "is missing"
    if not isinstance(value, str):
        return ""
    if len(value) > LONGEST_TEXT:
        return f"is longer than {LONGEST_TEXT:,} characters"
    return storable.problem(value) or ""
