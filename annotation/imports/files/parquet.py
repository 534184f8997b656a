"""Parquet files, a few hundred rows at a time. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._source import Source
from annotation.imports.files._table import Table, check_columns, of_objects, stop

MAGIC = b"PAR1"
AT_ONCE = 256  # rows
THRIFT = 16 * 1024 * 1024  # bytes of the file's own description
CORRUPT = (
    "This Parquet file cannot be read. It may be damaged: write it again and choose the"
    " new file."
)


def table(source: Source) -> Table:
    import pyarrow as pa  # here: it takes a while to load
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(
            source.file,
            pre_buffer=False,
            thrift_string_size_limit=THRIFT,
            thrift_container_size_limit=THRIFT // 16,
        )
        about, schema = file.metadata, file.schema_arrow.names
        groups = [about.row_group(n) for n in range(about.num_row_groups)]
    except (pa.ArrowException, OSError, ValueError):
        stop(source, CORRUPT)
    if about.num_rows > source.limits.lines:
        stop(source, f"The file has {about.num_rows:,} rows: split it.")
    if sum(group.total_byte_size for group in groups) > 4 * source.limits.bytes:
        megabytes = 4 * source.limits.bytes // 2**20
        stop(source, f"Unpacked, the file is larger than {megabytes:,} MB: split it.")
    check_columns(schema, source)
    if not about.num_rows:
        stop(source, "The file has no rows.")
    rows = _rows(file, source, pa.ArrowException)
    return of_objects("parquet", "row", rows, source)


def _rows(
    file: Any, source: Source, error: type[Exception]
) -> Iterator[tuple[int, dict[str, Any]]]:
    number, n_rows = 0, max(1, file.metadata.num_rows)
    try:
        size = source.file.seek(0, 2)
        for batch in file.iter_batches(batch_size=AT_ONCE, use_threads=False):
            batch.validate(full=True)
            for row in batch.to_pylist():
                number += 1
                yield number, {name: _plain(cell) for name, cell in row.items()}
            source.read_so_far(size * number // n_rows)
    except (error, OSError, ValueError, KeyError, OverflowError):
        stop(source, CORRUPT)  # also of dates that Python cannot have: the year 10,000


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return (
        str(value) if not isinstance(value, bytes) else value.decode(errors="replace")
    )
