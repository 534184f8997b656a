"""A file read once, line by line, in bounded memory. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from annotation import storable
from annotation.imports._account import Account
from annotation.imports._encodings import (
    ENCODINGS,
    UTF_8,
    Encoding,
    recoded,
    recognised,
)
from annotation.imports._line_ends import AnyEnds
from annotation.imports._problems import Problems, Unreadable

if TYPE_CHECKING:
    from annotation.imports._asking import Question
    from annotation.imports._opening import Opened
    from annotation.imports._values import Table

BOM = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# Python objects made of a JSON document take some twenty times its bytes.
DOCUMENT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What a file may be. The defaults are those of the settings."""

    bytes: int = 64 * 1024 * 1024
    rows: int = 100_000
    characters: int = 20_000  # of one text
    seconds: int = 50  # to read a packed file
    memory: int = 1024 * 1024 * 1024  # likewise

    @property
    def line_bytes(self) -> int:
        """Room for ten texts, each character escaped as six bytes."""
        return max(64 * self.characters, 1 << 16)

    @property
    def lines(self) -> int:
        """Texts may go over several lines, but a file of empty ones never ends."""
        return 50 * self.rows


class Source:
    """Decodes a binary file strictly and keeps count and hash of what it read."""

    def __init__(
        self,
        file: BinaryIO,
        limits: Limits,
        problems: Problems,
        called: str = "The file",
        progress: Callable[[int], object] | None = None,
    ) -> None:
        self.limits = limits
        self._progress = progress  # called with the number of bytes read
        self._file, self._problems, self._called = file, problems, called
        self._hash = hashlib.sha256()
        self.encoding = Encoding()
        self._hashed = False  # all of it, before it was read as another encoding
        self._n_bytes = 0
        # Of a format that recognises files: which it took, and what its numbers count.
        self.preset, self.unit = "", "line"
        self.opened: Opened | None = None  # likewise, if it looks at columns
        self.account = Account()
        self.asked: list[Question] = []  # answered or not
        self.questions: list[Question] = []  # that nobody has answered
        self.people: dict[str, str] = {}  # what Prolific says of them, by rater
        self.highest = 0  # that a rating could be, as cells such as 4/7 say
        self.tables: dict[str, Table] = {}  # what answers stand for, by aspect

    @property
    def sha256(self) -> str:
        """Of what was read so far."""
        return self._hash.hexdigest()

    @property
    def file(self) -> BinaryIO:
        """For formats that seek: they call `whole` before."""
        return self._file

    @property
    def problems(self) -> Problems:
        return self._problems

    def read_so_far(self, n: int) -> None:
        """Tell how far a format that seeks has come."""
        if self._progress:
            self._progress(n)

    def whole(self) -> int:
        """Hash and bound a file that will be read by seeking; return its size."""
        while self._count(self._file.read(1 << 20)):
            pass
        self._file.seek(0)
        return self._n_bytes

    def recode(self, name: str = "") -> None:
        """Go on as if the file were UTF-8. Without a name it is recognised."""
        if name:
            self.encoding = Encoding(name)
        else:
            self.encoding = recognised(self._file)
        if self.encoding.name != UTF_8:
            self.whole()
            self._hashed = True
            self._file = recoded(self._file, self.encoding.name, self._not_so_encoded)

    def _not_so_encoded(self) -> NoReturn:
        self._stop(
            f"{self._called} is not {ENCODINGS[self.encoding.name]}: choose another"
            " encoding, or save it as UTF-8."
        )

    def lines(self, *, any_end: bool = False) -> Iterator[tuple[int, str]]:
        r"""Yield line numbers from 1 and lines with their ends.

        With `any_end`, lines may end in \r alone, too.
        """
        longest, number = self.limits.line_bytes, 0
        readline = AnyEnds(self._file).readline if any_end else self._file.readline
        while line := self._count(readline(longest + 1)):
            number, start = number + 1, self._n_bytes - len(line)
            if number == 1:
                self._refuse_utf_16(line)
            if number > self.limits.lines:
                self._stop(f"The file has more than {self.limits.lines:,} lines.")
            if len(line) > longest:
                self._skip_line(line, number, readline)
                line = b"\n"  # the lines that follow keep their numbers
            yield number, self._decode(line, number, start)

    def document(self) -> str:
        """The whole file, for formats that are one JSON value."""
        content = bytearray()
        while block := self._count(self._file.read(1 << 16)):
            content += block
            if len(content) > DOCUMENT_BYTES:
                self._stop(
                    f"The file is larger than {DOCUMENT_BYTES // 2**20} MB, the limit"
                    " for this format: use jsonl."
                )
        self._refuse_utf_16(content)
        return self._decode(bytes(content), 1, 0)

    def _count(self, piece: bytes) -> bytes:
        self._n_bytes += len(piece)
        if self._hashed:
            return piece
        self._hash.update(piece)
        if self._n_bytes > self.limits.bytes:
            size = f"{self.limits.bytes / 2**20:.10g} MB"
            self._stop(f"{self._called} is larger than {size}, the limit.")
        if self._progress:
            self._progress(self._n_bytes)
        return piece

    def _skip_line(
        self, piece: bytes, number: int, readline: Callable[[int], bytes]
    ) -> None:
        longest = f"{self.limits.line_bytes:,} bytes"
        self._problems.add(f"longer than {longest}, the limit for a line", number)
        ends = (b"\n",) if readline == self._file.readline else (b"\n", b"\r")
        while piece and not piece.endswith(ends):
            piece = self._count(readline(1 << 16))

    def _decode(self, content: bytes, number: int, start: int) -> str:
        """`number` is the line of the file at which `content` begins."""
        if start == 0:
            start = len(BOM) if content.startswith(BOM) else 0
            content = content[start:]
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            self._problems.add(
                f"not UTF-8: byte 0x{content[error.start]:02X} at offset "
                f"{start + error.start:,} of the file; save it as UTF-8",
                number + content.count(b"\n", 0, error.start),
            )
            text = content.decode(errors="replace")
        if refused := storable.REFUSED.search(text):
            line = number + text.count("\n", 0, refused.start())
            line_begins = text.rfind("\n", 0, refused.start()) + 1
            said = storable.problem(text[line_begins : refused.end()])
            self._problems.add(str(said), line)
            text = storable.cleaned(text)
        return text

    def _refuse_utf_16(self, content: bytes | bytearray) -> None:
        if content.startswith(UTF_16):
            self._stop("The file is UTF-16: save it as UTF-8.")

    def _stop(self, sentence: str) -> NoReturn:
        self._problems.add(sentence)
        raise Unreadable
