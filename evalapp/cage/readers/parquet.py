"""Parquet files, as many rows at a time as there is room for. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from evalapp.cage.readers._out import Out, Refused

AT_ONCE = 256  # rows
ROOM = 1 << 24  # bytes of rows that become objects at once
CELL = 8  # bytes of a value that has none of its own
THRIFT = 16 * 1024 * 1024  # bytes of the file's own description
MOST_LEAVES = 2000  # columns, and fields of objects in them
CORRUPT = (
    "This Parquet file cannot be read. It may be damaged: write it again and choose the"
    " new file."
)


def read(file: BinaryIO, out: Out, *, size: int, name: str = "", most: int = 0) -> None:
    """Send its rows; with `most`, so many of them."""
    found = opened(file, out)
    if not found.metadata.num_rows:
        raise Refused("The file has no rows.")
    columns = found.schema_arrow.names
    out.event(file=name, kind="parquet", columns=columns)
    start = out.done
    for number, row in enumerate(islice(rows(found, out), most or None), start=1):
        out.done = start + size * number // found.metadata.num_rows
        out.row(number, row)


def opened(file: BinaryIO, out: Out) -> Any:
    """The file, if what it says of itself may be true."""
    import pyarrow as pa  # here: others need not wait for it
    from pyarrow import parquet

    def again(**options: Any) -> Any:
        return parquet.ParquetFile(
            file,
            pre_buffer=False,
            thrift_string_size_limit=THRIFT,
            thrift_container_size_limit=THRIFT // 16,
            **options,
        )

    try:
        about = again().metadata
        _check(about, out)
        leaves = [about.schema.column(n) for n in range(about.num_columns)]
        # One text for a million rows then stays one text.
        texts = [one.path for one in leaves if _is_text(one)]
        return again(read_dictionary=texts)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Refused(CORRUPT) from error


def _is_text(leaf: Any) -> bool:
    plain = leaf.logical_type.type in ("STRING", "NONE", "JSON", "ENUM")
    return plain and leaf.physical_type == "BYTE_ARRAY"


def _check(about: Any, out: Out) -> None:
    if about.num_rows > out.rows:
        raise Refused(f"The file has {about.num_rows:,} rows: split it.")
    if about.num_columns > MOST_LEAVES:
        raise Refused(
            f"The file has {about.num_columns:,} columns. The most it may have is"
            f" {out.columns:,}."
        )
    groups = (about.row_group(n) for n in range(about.num_row_groups))
    if sum(group.total_byte_size for group in groups) > out.all_bytes:
        megabytes = out.all_bytes // 2**20
        raise Refused(f"Unpacked, the file is larger than {megabytes:,} MB: split it.")


def rows(found: Any, out: Out) -> Iterator[list[Any]]:
    """Each row as a list of what JSON can say."""
    import pyarrow as pa

    number = 0
    try:
        for batch in found.iter_batches(batch_size=AT_ONCE, use_threads=False):
            batch.validate(full=True)
            if number + len(batch) > out.rows:  # its description said less
                raise Refused(f"The file has more than {out.rows:,} rows: split it.")
            for piece in _pieces(batch, out.row_bytes, number):
                cells = [_objects(column) for column in piece.columns]
                for row in zip(*cells, strict=True):
                    yield [_plain(cell) for cell in row]
            number += len(batch)
    except (pa.ArrowMemoryError, MemoryError) as error:
        raise MemoryError from error
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        raise Refused(CORRUPT) from error  # also dates that Python cannot have


def _pieces(batch: Any, row_bytes: int, before: int) -> Iterator[Any]:
    """Parts of a batch that are small once they are objects.

    Texts are counted as often as they stand in a row: a file of 700 bytes may say the
    same 4 MB two thousand times.
    """
    if len(batch) == 0:
        return
    weight = sum(weight_of(column) for column in batch.columns)
    if weight <= (ROOM if len(batch) > 1 else row_bytes):
        yield batch
        return
    if len(batch) == 1:
        raise Refused(
            f"Row {before + 1:,} is longer than {row_bytes:,} bytes, the limit for a"
            " row: leave out columns that are not needed, or shorten its texts."
        )
    half = len(batch) // 2
    yield from _pieces(batch[:half], row_bytes, before)
    yield from _pieces(batch[half:], row_bytes, before + half)


def _objects(column: Any) -> list[Any]:
    from pyarrow import types

    plain = column.dictionary_decode() if types.is_dictionary(column.type) else column
    found: list[Any] = plain.to_pylist()
    return found


def weight_of(column: Any) -> int:
    """About how many bytes a column takes as text, with at least some for each value.

    Lists of nothing have no bytes, but a million of them are a million objects.
    """
    import pyarrow.compute as pc
    from pyarrow import types

    kind, least = column.type, CELL * len(column)
    if types.is_dictionary(kind) and _has_length(kind.value_type):
        lengths = pc.binary_length(column.dictionary)
        return least + (pc.sum(lengths.take(column.indices)).as_py() or 0)
    if types.is_struct(kind):
        return least + sum(weight_of(one) for one in column.flatten())
    if types.is_map(kind):
        begin, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
        n = end - begin
        keys, items = column.keys.slice(begin, n), column.items.slice(begin, n)
        return least + weight_of(keys) + weight_of(items)
    if types.is_nested(kind):
        return least + weight_of(column.flatten())
    return least + int(column.nbytes)


def _has_length(kind: Any) -> bool:
    from pyarrow import types

    texts = types.is_string(kind) or types.is_large_string(kind)
    return bool(texts or types.is_binary(kind) or types.is_large_binary(kind))


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
