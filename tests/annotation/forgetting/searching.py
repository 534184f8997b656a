"""Where on a site a mark lies: in any cell, any file, any line of the log."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import logging
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from urllib.parse import quote, quote_plus

import numpy as np
import pyarrow.parquet as pq
from django.apps import apps
from django.db import connection

from tests.annotation.forgetting.people import Person

DEEPEST = 4  # a file in an archive in an archive
WORD = 8  # bytes that are looked for first; each form has more


def spellings(mark: str) -> set[bytes]:
    """How programs write a text, also within a longer one, and hashes without a key."""
    forms = {mark, mark.lower(), mark.upper(), mark[::-1]}
    forms |= {quote(mark), quote(mark, safe=""), quote_plus(mark)}
    forms |= {json.dumps(mark)[1:-1], json.dumps(mark.lower())[1:-1]}
    raw = {form.encode() for form in forms}
    raw |= {mark.encode("utf-16-le"), mark.encode().hex().encode()}
    cases = (mark.encode(), mark.lower().encode())
    for kind in (hashlib.md5, hashlib.sha1, hashlib.sha256):
        raw |= {kind(form).hexdigest()[:16].encode() for form in cases}
    for shift in range(3):  # base64 looks different by what stands before
        packed = base64.b64encode(b"x" * shift + mark.encode())
        raw.add(packed[4 if shift else 0 : -4])
    return raw


def of_network(network: str) -> set[bytes]:
    """An address is written short or long, or as the network of a home."""
    whole = IPv6Address(network)
    home = ip_network((whole, 64), strict=False)
    forms = {str(whole), whole.exploded, str(home), str(home.network_address)}
    return {form for address in forms for form in spellings(address)}


def needles(people: Iterable[Person]) -> dict[tuple[int, str], set[bytes]]:
    return {
        (person.number, kind): of_network(mark)
        if kind == "network"
        else spellings(mark)
        for person in people
        for kind, mark in person.marks().items()
    }


class Search:
    """Finds the marks of people; remembers where."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.needles = [
            (number, kind, form)
            for (number, kind), forms in needles(people).items()
            for form in sorted(forms)
        ]
        starts = (int.from_bytes(form[:WORD], "little") for *_, form in self.needles)
        self.starts = np.array(sorted(set(starts)), np.uint64)
        self.places: dict[int, dict[str, set[str]]] = defaultdict(
            lambda: defaultdict(set)
        )
        self.bytes = 0

    def look(self, place: str, *contents: bytes) -> None:
        for content in contents:
            self.bytes += len(content)
            begun = self._begun_in(content)
            for number, kind, form in self.needles if begun else ():
                if form[:WORD] in begun and form in content:
                    self.places[number][kind].add(place)

    def _begun_in(self, content: bytes) -> set[bytes]:
        """The starts of forms that occur: most files have none, and are large."""
        if len(content) < WORD:
            return set()
        windows = np.lib.stride_tricks.sliding_window_view(
            np.frombuffer(content, np.uint8), WORD
        )
        words = np.ascontiguousarray(windows).view("<u8").ravel()
        at = np.minimum(np.searchsorted(self.starts, words), len(self.starts) - 1)
        hits = np.unique(words[self.starts[at] == words])
        return {int(hit).to_bytes(WORD, "little") for hit in hits}

    def of(self, number: int) -> dict[str, set[str]]:
        return {kind: set(where) for kind, where in self.places[number].items()}


# What a site consists of --------------------------------------------------------------


def tables(search: Search) -> int:
    """Every cell of every table, whether a model knows the table or not."""
    names = connection.introspection.table_names()
    models = {
        model._meta.db_table for model in apps.get_models(include_auto_created=True)
    }
    assert models <= set(names)
    cells = 0
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")
            columns = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                cells += len(row)
                for column, value in zip(columns, row, strict=True):
                    search.look(f"{name}.{column}", *_bytes_of(value))
    return cells


def _bytes_of(value: object) -> Iterator[bytes]:
    if isinstance(value, bytes | memoryview):
        yield bytes(value)
    elif isinstance(value, dict | list):
        yield json.dumps(value, ensure_ascii=False).encode()
    elif isinstance(value, str):
        yield value.encode()


def database_files(search: Search) -> int:
    """SQLite's file, with its free pages, and what it has not yet written there."""
    if connection.vendor != "sqlite":
        return 0
    name = Path(connection.settings_dict["NAME"])
    files = [name, *name.parent.glob(f"{name.name}-*")]
    for file in files:
        place = "the log of the database" if file != name else "the database file"
        search.look(f"{place}/", file.read_bytes())
    return sum(file.stat().st_size for file in files)


def folder(search: Search, root: Path) -> int:
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    for path in files:
        place = path.relative_to(root).parts[0]
        search.look(f"{place}/", str(path.relative_to(root)).encode())
        for content in unpacked(path.read_bytes()):
            search.look(f"{place}/", content)
    return len(files)


def unpacked(content: bytes, depth: int = 0) -> Iterator[bytes]:
    """A file, and all that is packed in it."""
    yield content
    if depth == DEEPEST:
        return
    for inner in _inside(content):
        yield from unpacked(inner, depth + 1)


def _inside(content: bytes) -> Iterator[bytes]:
    file = io.BytesIO(content)
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(file) as archive:
            yield from (archive.read(name) for name in archive.namelist())
            yield "\n".join(archive.namelist()).encode()
    elif content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    elif content[:4] == b"PAR1":
        yield str(pq.read_table(file).to_pylist()).encode()
    elif content[257:262] == b"ustar":
        with tarfile.open(fileobj=file) as archive:
            members = (
                archive.extractfile(entry) for entry in archive if entry.isfile()
            )
            yield from (member.read() for member in members if member)


class Lines(logging.Handler):
    """All that is logged, at any level, with what went wrong."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))
