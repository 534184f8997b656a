"""Rows -> a Parquet file of known columns. Pure, and some rows at a time.

Back it goes in `restore.parquet_rows`: such a file may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.archive.columns import DATASET, Table

Row = Mapping[str, Any]
AT_ONCE = 1_000  # rows


class Mismatch(ValueError):
    """A file is not what its table should be. The message says how."""


def write(table: Table, rows: Iterable[Row], folder: Path) -> int:
    """Write the rows, and return how many there are. Without a row, no file."""
    from pyarrow import Table as Batch  # here: it takes a while to load
    from pyarrow import parquet

    waiting, n, schema = iter(rows), 0, _schema(table)
    some = list(islice(waiting, AT_ONCE))
    if not some:
        return 0
    path = folder / table.file
    path.parent.mkdir(parents=True, exist_ok=True)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while some:
            writer.write_table(Batch.from_pylist(some, schema=schema))
            n += len(some)
            some = list(islice(waiting, AT_ONCE))
    return n


def _schema(table: Table) -> Any:
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "strings": pa.list_(pa.string()),
    }
    return pa.schema([(field.name, types[field.type]) for field in table.at(DATASET)])
