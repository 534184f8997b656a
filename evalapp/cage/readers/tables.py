"""A file with tables, recognised by its first bytes. Pure.

What it sends: {"pack": kind, "files": n}; then for each of these files {"file": name,
"kind": ...} with what is known of it, and its rows, or its bytes where it is text.
{"note": sentence} may come anywhere: what people should know of how it was read.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, BinaryIO

from evalapp.cage.packs import Budget
from evalapp.cage.readers import archive, compressed, excel, parquet
from evalapp.cage.readers._out import Out

PARQUET = b"PAR1"


def read(
    file: BinaryIO,
    out: Out,
    *,
    size: int,
    sheet: str,
    suffixes: list[str],
    names: Collection[str] = (),
    **of_zip: Any,
) -> None:
    budget = Budget(out.all_bytes)  # a workbook's XML is mostly names of its cells
    out.ratio(size)
    head = file.read(len(PARQUET))
    file.seek(0)
    if compressed.is_compressed(head):
        compressed.read(file, out, size=size)
        return
    if head != PARQUET and not excel.is_excel(file):
        of_zip |= {"sheet": sheet, "suffixes": tuple(suffixes), "names": names}
        archive.read(file, out, budget=budget, **of_zip)
        return
    out.event(pack="parquet" if head == PARQUET else "xlsx", files=1)
    if head == PARQUET:
        parquet.read(file, out, size=size)
    else:
        excel.read(
            *(file, out),
            budget=budget,
            size=size,
            sheet=sheet,
            names=names,
            several=True,
        )
