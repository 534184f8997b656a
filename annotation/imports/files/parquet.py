"""Rows of Parquet files as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._source import Source
from annotation.imports.files._table import Table, check_columns, of_objects


def table(
    rows: Iterator[tuple[int, list[Any]]], columns: list[str], source: Source
) -> Table:
    check_columns(columns, source)
    objects = ((number, dict(zip(columns, row, strict=True))) for number, row in rows)
    return of_objects("parquet", "row", objects, source)
