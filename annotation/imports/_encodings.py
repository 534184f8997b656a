"""How the characters of a file are written: recognised, never guessed in silence. Pure.

UTF-8 can be told from anything else, and UTF-16 begins with a mark. What is neither is
most likely Windows-1252, the usual encoding of older programs in the West, with which
any other looks wrong: so it is said, with words in which it shows.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "cp1252"
# By Python's name; the words are those of the menu.
ENCODINGS = {
    UTF_8: "UTF-8",
    UTF_16: "UTF-16",
    WINDOWS: "Windows-1252 (Western Europe)",
    "latin-1": "Latin-1 (ISO 8859-1)",
    "iso8859-15": "Latin-9 (ISO 8859-15)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese, traditional)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
}
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
BLOCK = 1 << 20
# Between words, and around them.
APART = str.maketrans(dict.fromkeys(',;"{}', " "))
AROUND = ".!?:()[]'“”„…«»"
LONGEST = 30  # characters of a word
SHOWN = 5
REPLACED = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Encoding:
    name: str = UTF_8
    sure: bool = True  # it was chosen, or cannot be anything else
    words: tuple[str, ...] = ()  # in which it shows

    @property
    def is_usual(self) -> bool:
        return self == Encoding()

    @property
    def title(self) -> str:
        return ENCODINGS[self.name].partition(" (")[0]


def recognised(file: BinaryIO) -> Encoding:
    """Reads all of it: the first accent may stand on the last line."""
    first = file.read(2)
    file.seek(0)
    if first in MARKS:
        return Encoding(UTF_16)
    try:
        return _unless_utf_8(file)
    finally:
        file.seek(0)


def _unless_utf_8(file: BinaryIO) -> Encoding:
    decoder = codecs.getincrementaldecoder(UTF_8)("replace")
    n_right = n_wrong = 0  # characters of UTF-8 that are not ASCII, and other bytes
    words: dict[str, None] = {}
    is_windows = True
    for block in _blocks(file):
        text = decoder.decode(block, not block)
        bad = text.count(REPLACED) - block.count(REPLACED.encode())
        n_wrong += bad
        n_right += len(text) - bad - len(text.encode("ascii", "ignore"))
        if bad <= 0 or not is_windows:
            continue
        try:
            text = block.decode(WINDOWS)
        except UnicodeDecodeError:
            is_windows = False
        else:
            if len(words) < SHOWN:
                words |= dict.fromkeys(_accented(text))
    if n_wrong <= 0:
        return Encoding()
    if n_right > n_wrong or not is_windows:
        return Encoding(sure=False)  # what is wrong is said line by line
    return Encoding(WINDOWS, sure=False, words=tuple(words)[:SHOWN])


def _accented(text: str) -> Iterator[str]:
    for word in text.translate(APART).split():
        if not word.isascii():
            bare = word.strip(AROUND)
            yield (word if bare.isascii() else bare)[:LONGEST]


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block
    yield b""


class _Recoded(io.RawIOBase):
    def __init__(self, file: BinaryIO, name: str, fail: Callable[[], NoReturn]) -> None:
        self._file, self._fail = file, fail
        self._decoder = codecs.getincrementaldecoder(name)()
        self._left, self._at = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        if offset or whence:
            raise io.UnsupportedOperation("only to the beginning")
        self._file.seek(0)
        self._decoder.reset()
        self._left, self._at = b"", 0
        return 0

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = b"begin"
        while not self._left and block:
            block = self._file.read(1 << 16)
            try:
                self._left = self._decoder.decode(block, not block).encode()
            except UnicodeError:
                self._fail()
        piece = self._left[: len(buffer)]
        buffer[: len(piece)] = piece
        self._left, self._at = self._left[len(piece) :], self._at + len(piece)
        return len(piece)


def recoded(file: BinaryIO, name: str, fail: Callable[[], NoReturn]) -> BinaryIO:
    """The file as UTF-8. `fail` is called where it is not of that encoding."""
    return io.BufferedReader(_Recoded(file, name, fail), 1 << 16)
