"""Small files that take gigabytes or minutes of whoever reads them without limits."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
TYPES = "[Content_Types].xml"
OF_STRINGS = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
)
NAMES = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def one_text(characters: int, rows: int) -> bytes:
    """Parquet: the same text in all rows, of which the file holds one."""
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * rows, pa.int32()), pa.array(["a" * characters])
    )
    others = {"system": ["s"] * rows, "prefix": ["p"] * rows}
    return _written({"text": texts, **others})


def long_list(items: int) -> bytes:
    """Parquet: one row, with a list of so many zeros."""
    import pyarrow as pa

    zeros = pa.ListArray.from_arrays(
        pa.array([0, items], pa.int32()),
        pa.array(memoryview(bytes(items)), pa.int8()).cast(pa.int32()),
    )
    return _written({"text": ["A lake."], "ratings": zeros})


def long_list_of_texts(characters: int, items: int) -> bytes:
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * items, pa.int32()), pa.array(["a" * characters])
    )
    offsets = pa.array([0, items], pa.int32())
    return _written(
        {"text": ["A lake."], "x": pa.ListArray.from_arrays(offsets, texts)}
    )


def list_of_nothing(items: int) -> bytes:
    """Parquet: as no value of it has a byte, nothing that counts bytes sees it."""
    import pyarrow as pa

    offsets = pa.array([0, items], pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pa.nulls(items, pa.int8()))
    return _written({"text": ["A lake."], "x": lists})


def _written(columns: dict[str, Any]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    table = pa.table(columns)
    parquet.write_table(table, out, compression="zstd", store_schema=False)
    return out.getvalue()


def many_columns(n: int) -> bytes:
    """Csv: so many columns, in three rows."""
    rows = [",".join(f"{name}{k}" for k in range(n)) for name in "cxy"]
    return "\n".join(rows).encode()


def deep_json(levels: int) -> bytes:
    """Json: a list in a list in a list."""
    return b'{"text": ' + b"[" * levels + b"]" * levels + b"}"


def many_keys(n: int) -> bytes:
    """Json: one record with so many fields."""
    return (
        b'[{"text": "A lake.", ' + b",".join(b'"k%d": 1' % k for k in range(n)) + b"}]"
    )


def one_line(characters: int) -> bytes:
    """Csv: a text that never ends."""
    return b"text,coherence\n" + b"a" * characters + b",4\n"


def zeros_of_zstandard(megabytes: int) -> bytes:
    import pyarrow as pa

    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(b"text\n")
        for _ in range(megabytes):
            stream.write(b"a" * 2**20)
    return bytes(out.getvalue())


def wide_sheet(rows: int) -> bytes:
    """Xlsx: in each row one cell, far right, with nothing in it."""
    row = '<row r="{0}"><c r="A{0}"><v>1</v></c><c r="XFD{0}"/></row>'.format
    body = "".join(map(row, range(1, rows + 1)))
    return _workbook(lambda name, old: _sheet(body) if name == SHEET else old)


def many_strings(n: int) -> bytes:
    """Xlsx: a list of texts which no cell names."""
    start = f"<sst {NAMES}>".encode()
    strings = start + b"".join(b"<si><t>%d</t></si>" % k for k in range(n)) + b"</sst>"
    part = f'<Override PartName="/{STRINGS}" ContentType="{OF_STRINGS}"/></Types>'
    return _workbook(
        lambda name, old: (
            old.replace(b"</Types>", part.encode()) if name == TYPES else old
        ),
        (STRINGS, strings),
    )


def merged_sheet(body: str, regions: str) -> bytes:
    """Xlsx: these rows, and these merged regions."""
    sheet = _sheet(body).replace(
        b"</worksheet>", f"<mergeCells>{regions}</mergeCells></worksheet>".encode()
    )
    return _workbook(lambda name, old: sheet if name == SHEET else old)


def with_regions(book: bytes, regions: str) -> bytes:
    """A workbook with merged regions in its sheet."""
    end = f"</sheetData><mergeCells>{regions}</mergeCells>".encode()
    with zipfile.ZipFile(io.BytesIO(book)) as old:
        files = [(n, old.read(n)) for n in old.namelist()]
    return packed((n, c.replace(b"</sheetData>", end)) for n, c in files)


def _sheet(body: str) -> bytes:
    return f"<worksheet {NAMES}><sheetData>{body}</sheetData></worksheet>".encode()


def _workbook(
    changed: Callable[[str, bytes], bytes], *more: tuple[str, bytes]
) -> bytes:
    from openpyxl import Workbook

    book, plain = Workbook(), io.BytesIO()
    book.active.append(["text"])
    book.save(plain)
    with zipfile.ZipFile(plain) as old:
        return packed([*((n, changed(n, old.read(n))) for n in old.namelist()), *more])


def nested(outer: int, inner: int) -> bytes:
    """Zip: so many zip files of so many empty files, each under another name."""
    one = packed((f"{n}.csv", b"") for n in range(inner))
    return packed((f"{n}.csv", one) for n in range(outer))


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files:
            pack.writestr(name, content)
    return out.getvalue()
