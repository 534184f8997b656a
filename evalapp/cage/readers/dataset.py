"""A Parquet file whose columns the parent knows: their types first, then rows. Pure."""

from __future__ import annotations

from typing import Any, BinaryIO

from evalapp.cage.readers import parquet
from evalapp.cage.readers._out import Out


def read(file: BinaryIO, out: Out, *, size: int) -> None:
    found = parquet.opened(file, out)
    out.event(columns=[[one.name, _word(one.type)] for one in found.schema_arrow])
    for number, row in enumerate(parquet.rows(found, out), start=1):
        out.row(number, row)


def _word(kind: Any) -> str:
    """As the fields of a data set are described; others as Arrow calls them."""
    from pyarrow import types

    if types.is_dictionary(kind):  # only how a text is read
        return _word(kind.value_type)
    if types.is_list(kind):
        return f"{_word(kind.value_type)}s"
    return {"int64": "int", "double": "float"}.get(str(kind), str(kind))
