"""Rows -> a Parquet file of known columns, and back. Pure, and some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.publishing.fields import Table

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


def read(table: Table, folder: Path, *, most: int) -> Iterator[dict[str, Any]]:
    """The rows; none where there is no file.

    Raises:
        Mismatch: If it is no such file, or has more than `most` rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = folder / table.file
    if not path.is_file():
        return
    try:
        file = parquet.ParquetFile(path, pre_buffer=False)
        wanted = _schema(table)
        if not file.schema_arrow.equals(wanted, check_metadata=False):
            raise Mismatch(f"{table.file} has other columns than {_names(table)}.")
        n = 0
        for batch in file.iter_batches(batch_size=AT_ONCE, use_threads=False):
            batch.validate(full=True)
            if (n := n + len(batch)) > most:
                raise Mismatch(f"{table.file} has more than {most:,} rows.")
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise Mismatch(f"{table.file} cannot be read as Parquet.") from error


def _names(table: Table) -> str:
    return ", ".join(field.name for field in table.fields)


def _schema(table: Table) -> Any:
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "strings": pa.list_(pa.string()),
    }
    return pa.schema([(field.name, types[field.type]) for field in table.fields])
