"""Files of any usual kind -> records with named cells. Pure, and read as a stream.

`opened` recognises a file by its content, never by its name. Each file of this folder
reads one kind; what is wrong is said in plain sentences, with what to do about it.
"""

from __future__ import annotations

from annotation.imports._encodings import wide
from annotation.imports._json import JSONError, Lenient
from annotation.imports._source import BOM, UTF_16, Source
from annotation.imports.files import (
    _other_kinds,
    delimited,
    document,
    excel,
    json_lines,
    packed,
)
from annotation.imports.files._table import (
    EARLIER,
    PART,
    SKIPPED,
    Record,
    Table,
    beginning,
    stop,
)

__all__ = [
    "EARLIER",
    "PART",
    "SKIPPED",
    "TITLES",
    "Record",
    "Table",
    "beginning",
    "is_document",
    "first_records",
    "is_delimited",
    "opened",
]

TITLES = {
    "csv": "Table (csv)",
    "jsonl": "JSON lines",
    "json": "JSON",
    "xlsx": "Excel",
    "parquet": "Parquet",
    "zip": "Zip archive",
}
HEAD = 1 << 16  # bytes looked at
# Of a JSON document, of which 13 MB took 260 MB of the process that makes pages.
SMALL_DOCUMENT = 1024 * 1024
_CONTROLS = bytes((*range(1, 9), *range(14, 32)))


def opened(source: Source, *, sheet: str = "", encoding: str = "") -> Table:
    """Recognise the file and return its columns and records.

    Text is read in the named encoding; without a name in the one it seems to have.

    Raises:
        Unreadable: If it is none of these kinds; the problem is noted.
    """
    if packed.is_packed(_head(source)):
        return packed.table(source, sheet, lambda one: _of_text(one, encoding))
    return _of_text(source, encoding)


def is_delimited(source: Source) -> bool:
    """Whether it is text in columns: a csv file and its relatives."""
    head = _head(source)
    if packed.is_packed(head) or head.startswith(excel.OLE):
        return False
    return _kind_of_text(head.removeprefix(BOM)) == "csv"


def is_document(head: bytes) -> bool:
    """Whether a file that begins so is one JSON value: it is read as a whole, and takes
    twenty times its size of memory."""
    if packed.is_packed(head) or head.startswith((excel.OLE, *UTF_16)):
        return False
    return _kind_of_text(head.removeprefix(BOM)) == "json"


def first_records(content: bytes) -> bytes:
    """The beginning of a large JSON document as one that is small: its first records,
    where it is a list of them; else nothing of it."""
    return document.first_records(content.removeprefix(BOM))


def _of_text(source: Source, encoding: str) -> Table:
    head = _head(source)
    if head.startswith(excel.OLE):
        excel.refuse_old(source)
    _refuse_others(head, source)
    source.recode(encoding)
    kind = _kind_of_text(_head(source).removeprefix(BOM))
    if kind == "json":
        return document.table(source)
    return json_lines.table(source) if kind == "jsonl" else delimited.table(source)


def _head(source: Source) -> bytes:
    head = source.file.read(HEAD)
    source.file.seek(0)
    return head


def _refuse_others(head: bytes, source: Source) -> None:
    if not head.strip():
        stop(source, "The file is empty: choose another.")
    if other := _other_kinds.why_not(head.removeprefix(BOM)):
        stop(source, other)
    if _is_binary(head) and not head.startswith(UTF_16) and not wide(head):
        stop(
            source,
            "This kind of file cannot be read here: choose a csv, tsv, jsonl,"
            " json, xlsx or parquet file, or a zip file with one of these.",
        )


def _is_binary(head: bytes) -> bool:
    """Lone zeros in a text, as of C programs, are said line by line."""
    n_zeros = head.count(0)
    return n_zeros > len(head) / 20 or (
        n_zeros > 0 and len(head.translate(None, _CONTROLS)) < len(head)
    )


def _kind_of_text(head: bytes) -> str:
    text = head.decode(errors="replace").lstrip()
    if text.startswith("["):
        return "json"
    if not text.startswith("{"):
        return "csv"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        return "jsonl" if lines[0].endswith("}") or lines[1][0] == "{" else "json"
    return "json" if _holds_records(lines[0]) else "jsonl"


def _holds_records(line: str) -> bool:
    """Whether one line holds many records: an object of objects, or of a list."""
    try:
        value = Lenient().loads(line)
    except JSONError:
        return True  # longer than what was looked at
    return isinstance(value, dict) and document.holds_records(value)
