"""The JSON of an upload, read one document at a time and in bounded memory. Pure."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NoReturn

from annotation.imports import Limits, shown
from evalapp.cage import zstandard
from evalapp.cage.packs import DAMAGED, BadPack, check_pack
from scoring.contrib.tool_results.readers._found import BadBundle

ZIP = b"PK\x03\x04"
MOST_FILES = 20_000  # some tools write one for each text
UNPACKED = 4  # times the limit of an upload: logs are mostly what is never read here
# Python objects made of JSON take some twenty times its bytes.
DOCUMENT_BYTES = 16 * 1024 * 1024
SUFFIXES = (".json", ".jsonl")


class Bundle:
    """One file with JSON, or JSON in each line, or a zip file with such files."""

    def __init__(self, file: BinaryIO, name: str, limits: Limits) -> None:
        self._file, self._limits = file, limits
        self._last: tuple[str, Any] = ("", None)
        self._pack: zipfile.ZipFile | None = None
        is_pack = file.read(4) == ZIP
        file.seek(0)
        if is_pack:
            try:
                found = check_pack(
                    file, most_bytes=UNPACKED * limits.bytes, most_files=MOST_FILES
                )
            except BadPack as error:
                raise BadBundle(str(error)) from None
            self._pack = zipfile.ZipFile(file)  # its directory is read only once
            # A log that was written to again has a name twice: the last counts.
            self.names = list(
                dict.fromkeys(
                    info.filename
                    for info in found
                    if _is_read(PurePosixPath(info.filename))
                )
            )
        else:
            self.names = [name or "the file"]
        self._known = frozenset(self.names)

    def ending(self, *ends: str) -> list[str]:
        """Names that end so; the only file of an upload may have any name."""
        if not self._pack:
            return list(self.names)
        return [name for name in self.names if name.endswith(ends)]

    def has(self, name: str) -> bool:
        return self._pack is not None and name in self._known

    def below(self, folder: str) -> list[str]:
        """Names in a folder of the zip file."""
        return [name for name in self.names if self._pack and name.startswith(folder)]

    def beside(self, name: str, other: str) -> Any:
        """The JSON of a file in the same folder of the zip file; None if not there."""
        path = str(PurePosixPath(name).with_name(other))
        return self.value(path) if self.has(path) else None

    def head(self, name: str) -> Any:
        """The JSON of a file, or that of its first line where each has its own."""
        return next((value for _, value in self.rows(name)), None)

    def value(self, name: str) -> Any:
        """The JSON of a file."""
        if self._last[0] != name:
            self._last = (name, self._parsed(name, self._content(name)))
        return self._last[1]

    def is_lines(self, name: str) -> bool:
        """Whether each line has JSON of its own."""
        with self._opened(name) as opened:
            first = opened.readline(self._limits.line_bytes)
            if not opened.read(1).strip() and not opened.read(64).strip():
                return name.endswith(".jsonl")
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return False
        return True

    def rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """Numbers from 1 and values: of lines, or of the one value that a file is."""
        if not self.is_lines(name):
            yield 1, self.value(name)
            return
        with self._opened(name) as opened:
            number = left = 0
            while line := opened.readline(DOCUMENT_BYTES + 1):
                number, left = number + 1, left + len(line)
                if len(line) > DOCUMENT_BYTES or left > UNPACKED * self._limits.bytes:
                    _refuse(name, "is too large")
                if number > self._limits.rows:
                    _refuse(
                        name, f"has more than {self._limits.rows:,} lines: split it"
                    )
                if line.strip():
                    yield number, self._parsed(f"{name}, line {number},", line)

    def described(self) -> str:
        """What the upload has instead, as a sentence."""
        if self._pack:
            some = ", ".join(shown(name) for name in self.names[:5])
            return f"The zip file has {some or 'no JSON file'}."
        head = self.head(self.names[0])
        if isinstance(head, dict):
            some = ", ".join(shown(name) for name in list(head)[:8])
            return f"It has the fields {some}." if some else "It has no fields."
        return "It is JSON, but not an object with fields."

    def _content(self, name: str) -> bytes:
        with self._opened(name) as opened:
            content: bytes = opened.read(DOCUMENT_BYTES + 1)
        if len(content) > DOCUMENT_BYTES:
            megabytes = DOCUMENT_BYTES // 2**20
            _refuse(name, f"is larger than {megabytes} MB, the limit for JSON")
        return content

    def _parsed(self, name: str, content: bytes) -> Any:
        try:
            # NaN and Infinity are no JSON, but most of these tools write them.
            return json.loads(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            _refuse(name, "is not UTF-8")
        except json.JSONDecodeError as error:
            _refuse(name, f"is not valid JSON: {error.msg} in line {error.lineno}")
        except (ValueError, RecursionError):
            _refuse(
                name,
                "is not valid JSON: it is nested too deeply, or has a number"
                " of thousands of digits",
            )

    def _opened(self, name: str) -> Any:
        if not self._pack:
            return _Kept(self._file)
        try:
            info = self._pack.getinfo(name)
            if info.compress_type == zstandard.METHOD:
                return _Unpacked(zstandard.opened(self._file, info), name)
            return _Unpacked(self._pack.open(info), name)
        except NotImplementedError:
            _refuse(
                name,
                "is packed in a way that cannot be read here: convert the log to"
                " JSON, or pack it again as a usual zip file",
            )
        except DAMAGED:
            _refuse(name, "is damaged: pack it again")


class _Kept:
    """The upload itself, from its start; nobody closes it here."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        self.read, self.readline = file.read, file.readline

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class _Unpacked:
    """A file of a pack, whose damage is said in a sentence."""

    def __init__(self, file: Any, name: str) -> None:
        self._opened, self._name = file, name

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def read(self, most: int) -> bytes:
        return self._try(self._opened.read, most)

    def readline(self, most: int) -> bytes:
        return self._try(self._opened.readline, most)

    def _try(self, call: Any, most: int) -> bytes:
        try:
            found: bytes = call(most)
        except DAMAGED:
            _refuse(self._name, "is damaged: pack it again")
        return found


def _is_read(path: PurePosixPath) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return path.suffix in SUFFIXES and not hidden


def _refuse(name: str, what: str) -> NoReturn:
    raise BadBundle(f"{shown(name)} {what}.")
