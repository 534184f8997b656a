"""Rows of a data set's tables, read in the cage: the folder may be anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.archive.columns import DATASET, Table
from evalapp import cage
from scoring.archive.parquet import Mismatch

MOST_BYTES = 1 << 30  # of a table
LONGEST_ROW = 1 << 22  # bytes
SECONDS = 600  # of a command that somebody has started by hand


def read(table: Table, folder: Path, *, most: int) -> Iterator[dict[str, Any]]:
    """The rows; none where there is no file.

    Raises:
        Mismatch: If it is no such file, or has more than `most` rows.
    """
    path = folder / table.file
    if not path.is_file():
        return
    limits = cage.Limits(
        bytes=MOST_BYTES, row_bytes=LONGEST_ROW, rows=most, seconds=SECONDS
    )
    names = [field.name for field in table.at(DATASET)]
    wanted = [[field.name, field.type] for field in table.at(DATASET)]
    try:
        for piece in cage.pieces(path, reader="dataset", limits=limits):
            if piece.get("columns", wanted) != wanted:
                told = ", ".join(names)
                raise Mismatch(f"{table.file} has other columns than {told}.")
            for _, row in piece.get("rows", ()):
                yield dict(zip(names, row, strict=True))
    except cage.Refused as error:
        raise Mismatch(f"{table.file} cannot be read as Parquet: {error}") from error
    except OSError as error:
        raise Mismatch(f"{table.file} cannot be read: {error.strerror}.") from error
