"""A file of human texts, plain or packed, read line by line in bounded memory. Pure."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from annotation import storable
from annotation.imports import (
    Limits,
    Problems,
    Source,
    Unreadable,
    number,
    objects,
    shown,
)
from scoring.metrics import LOG_PROBABILITY

HELP = """\
corpus.jsonl    one JSON object per line. Its "text" is the text; every other key is an
                attribute of the text, such as its topic or author

    {"text": "The ferry left at seven.", "topic": "travel", "year": 1998}

corpus.txt      one text per line, and nothing else

An attribute "log_probability:SYSTEM" is the natural logarithm of the probability that
the system of that name gives the whole text, such as -58.3. Some divergences use it.

An attribute "source" holds what the text answers, such as a dialogue. It may be as
long as a text; discriminators can be trained to read it.

Either may be packed with gzip: corpus.jsonl.gz, corpus.txt.gz. Empty lines are ignored,
and duplicate texts are left out. The file is UTF-8.
"""
# What a text answers: metrics that read it learn from it. As long as a text may be.
SOURCE = "source"
MOST_ATTRIBUTES, LONGEST_NAME, LONGEST_VALUE = 20, 64, 200
LONGEST_SYSTEM = 100  # its name
# Text packs to a third or a fourth; what packs to a thousandth is made to fill memory.
UNPACKED = 4
GZIP = b"\x1f\x8b"


class Row(NamedTuple):
    """One text, and what the file says of it."""

    line: int
    text: str
    attributes: dict[str, str]


@dataclass
class Contents:
    """What a corpus holds, counted while its rows pass by."""

    n_texts: int = 0
    n_duplicates: int = 0
    n_characters: int = 0
    attributes: list[str] = field(default_factory=list)  # names, as they come first

    def __post_init__(self) -> None:
        self._seen: set[bytes] = set()
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Of the texts and where each ends, in order."""
        return self._digest.hexdigest()

    def unique(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass on each text once: the first of those that are the same but for ends."""
        for row in rows:
            key = hashlib.blake2b(row.text.strip().encode(), digest_size=16).digest()
            if key in self._seen:
                self.n_duplicates += 1
                continue
            self._seen.add(key)
            self._count(row)
            yield row

    def _count(self, row: Row) -> None:
        self.n_texts += 1
        self.n_characters += len(row.text)
        content = row.text.encode()
        # With its length: "ab", "c" is another corpus than "a", "bc".
        self._digest.update(len(content).to_bytes(8) + content)
        for name in sorted(filter(_is_log_probability, row.attributes)):
            # Scores are computed from it as from the text.
            self._digest.update(f"{name}\0{row.attributes[name]}\0".encode())
        self.attributes += [n for n in row.attributes if n not in self.attributes]


def read(
    file: BinaryIO, file_name: str, limits: Limits, problems: Problems
) -> Iterator[Row]:
    """Yield the texts of a file from its start, and note all that is wrong.

    A row with something wrong is noted and left out.

    Args:
        file: Of bytes, which can be read again from its start.
        file_name: Its ending tells the format.
        limits: What a file may be; unpacked, UNPACKED times the bytes.
        problems: Where to note it.
    """
    try:
        kind = _kind(file_name, problems)
        rows = READERS[kind](_source(file, file_name, limits, problems), problems)
        checks = _Checks(limits, problems)
        for n, row in enumerate(rows, 1):
            if n > limits.rows:
                most = f"{limits.rows:,} texts, the limit"
                problems.add(f"The file has more than {most}: upload a sample of it.")
                return
            if row and checks.good(row):
                yield row
    except Unreadable:
        return  # noted already
    except (EOFError, gzip.BadGzipFile, zlib.error):
        problems.add(
            "The file is packed with gzip, but cut short or damaged: pack it again."
        )


def _kind(file_name: str, problems: Problems) -> str:
    kind = PurePath(file_name.lower().removesuffix(".gz")).suffix
    if kind not in READERS:
        problems.add(
            "The name of the file must end in .jsonl, .txt, .jsonl.gz or .txt.gz,"
            f" which tells how to read it; it is {shown(file_name)}."
        )
        raise Unreadable
    return kind


def _source(
    file: BinaryIO, file_name: str, limits: Limits, problems: Problems
) -> Source:
    file.seek(0)
    packed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    if packed:
        unpacked: Any = gzip.GzipFile(fileobj=file)
        room = replace(limits, bytes=UNPACKED * limits.bytes)
        return Source(unpacked, room, problems, called="The file, unpacked,")
    if file_name.lower().endswith(".gz"):
        problems.add(
            "The name of the file ends in .gz, but it is not packed with gzip: pack it,"
            " or remove .gz from its name."
        )
        raise Unreadable
    return Source(file, limits, problems)


def _objects(source: Source, problems: Problems) -> Iterator[Row | None]:
    """None for an object without a text, which is noted; it counts as a row, though."""
    for line, values in objects(source, problems, required=("text",), known=None):
        is_there, text = "text" in values, values.pop("text", None)
        if is_there and not isinstance(text, str):
            problems.add(f"text must be text, not {shown(json.dumps(text))}", line)
        attributes = {
            name: _value(name, value, line, problems) for name, value in values.items()
        }
        yield Row(line, text, attributes) if isinstance(text, str) else None


def _value(name: str, value: Any, line: int, problems: Problems) -> str:
    if isinstance(value, list | dict):
        told = f"must be text, a number, true or false, not {shown(value)}"
        problems.add(f"attribute {shown(name)} {told}", line)
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value).strip()


def _lines(source: Source, problems: Problems) -> Iterator[Row | None]:
    for place, line in source.lines():
        if line.strip():
            yield Row(place, line.rstrip("\r\n"), {})


READERS = {".jsonl": _objects, ".txt": _lines}


class _Checks:
    """What must hold of a row, and of the attributes of all rows together."""

    def __init__(self, limits: Limits, problems: Problems) -> None:
        self._limits, self._problems = limits, problems
        self._names: set[str] = set()

    def good(self, row: Row) -> bool:
        said = [*self._of_text(row.text), *self._of_attributes(row.attributes)]
        if problem := storable.problem_in([row.text, row.attributes]):
            said.append(problem)
        for message in said:
            self._problems.add(message, row.line)
        return not said

    def _of_text(self, text: str) -> Iterator[str]:
        if not text.strip():
            yield '"text" is empty'
        if len(text) > (most := self._limits.characters):
            yield f"text has {len(text):,} characters; the most is {most:,}"

    def _of_attributes(self, attributes: dict[str, str]) -> Iterator[str]:
        for name, value in attributes.items():
            if _is_log_probability(name):
                yield from _of_log_probability(name, value)
                longest = len(LOG_PROBABILITY) + LONGEST_SYSTEM
            else:
                longest = LONGEST_NAME
            if not name.strip() or len(name) > longest:
                wanted = f"1 to {longest} characters"
                yield f"the name of an attribute has {wanted}, unlike {shown(name)}"
            most = self._limits.characters if name == SOURCE else LONGEST_VALUE
            if len(value) > most:
                limit = f"the most is {most:,}"
                yield f"attribute {shown(name)} has {len(value):,} characters; {limit}"
        if len(self._names) <= MOST_ATTRIBUTES:  # else it is said already
            self._names.update(attributes)
            if len(self._names) > MOST_ATTRIBUTES:
                yield f"this line brings the attributes to more than {MOST_ATTRIBUTES}"


def _is_log_probability(name: str) -> bool:
    return name.startswith(LOG_PROBABILITY)


def _of_log_probability(name: str, value: str) -> Iterator[str]:
    found = number(value)
    if value and (found is None or found > 0):
        wanted = "must be a number of at most 0, such as -58.3"
        yield f"attribute {shown(name)} {wanted}, not {shown(value)}"
