"""How the characters of a file are written: recognised, never guessed in silence. Pure.

UTF-8 can be told from anything else, and UTF-16 begins with a mark, or has a zero
beside each letter of English. What is neither is read in each of the usual ways, and
the one whose words are of a language is taken and said, with words in which it shows.
Where two are as likely, somebody is asked: `rivals` shows the words in each.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from annotation.imports._readings import Reading, Words, likely, readings

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "cp1252"
UTF_16_LE, UTF_16_BE = "utf-16-le", "utf-16-be"  # without a mark
# By Python's name; the words are those of the menu.
ENCODINGS = {
    UTF_8: "UTF-8",
    UTF_16: "UTF-16",
    UTF_16_LE: "UTF-16 LE (without a mark)",
    UTF_16_BE: "UTF-16 BE (without a mark)",
    WINDOWS: "Windows-1252 (Western Europe)",
    "latin-1": "Latin-1 (ISO 8859-1)",
    "iso8859-15": "Latin-9 (ISO 8859-15)",
    "mac_roman": "Mac Roman (old Macs)",
    "cp850": "DOS 850 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "iso8859-2": "Latin-2 (ISO 8859-2)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-u": "KOI8 (Cyrillic)",
    "mac_cyrillic": "Mac Cyrillic",
    "cp866": "DOS 866 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese, traditional)",
    "shift_jis": "Shift JIS (Japanese)",
    "cp932": "Windows-932 (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
}
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
BLOCK = 1 << 20
HEAD = 1 << 16  # bytes
AROUND = "“”„…«»[]{}"
LONGEST = 30  # characters of a word
SHOWN = 5
EXAMPLES = 3
REPLACED = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Encoding:
    name: str = UTF_8
    sure: bool = True  # it was chosen, or cannot be anything else
    words: tuple[str, ...] = ()  # in which it shows
    # Encodings that are as likely, this one too, with the words in each.
    rivals: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_usual(self) -> bool:
        return self == Encoding()

    @property
    def title(self) -> str:
        return ENCODINGS[self.name].partition(" (")[0]


def recognised(file: BinaryIO) -> Encoding:
    """Reads all of it: the first accent may stand on the last line."""
    head = file.read(HEAD)
    file.seek(0)
    if head[:2] in MARKS:
        return Encoding(UTF_16)
    if name := wide(head):
        return Encoding(name)
    try:
        return _unless_utf_8(file)
    finally:
        file.seek(0)


def wide(head: bytes) -> str:
    """Which UTF-16 the beginning of a file is that has no mark; empty: it is none.

    Commas, digits and ends of lines have a zero beside them, always on one side.
    """
    n, before, after = len(head) // 2, head[::2].count(0), head[1::2].count(0)
    if max(before, after) < max(2, n / 100) or 10 * min(before, after) > max(
        before, after
    ):
        return ""
    name = UTF_16_LE if after > before else UTF_16_BE
    text = head[: 2 * n].decode(name, errors="replace")
    odd = sum(not sign.isprintable() and not sign.isspace() for sign in text)
    has_line = any(sign in text for sign in "\n\r{[")
    return name if has_line and 20 * odd <= n else ""


def _unless_utf_8(file: BinaryIO) -> Encoding:
    decoder = codecs.getincrementaldecoder(UTF_8)("replace")
    n_right = n_wrong = 0  # characters of UTF-8 that are not ASCII, and other bytes
    for block in _blocks(file):
        text = decoder.decode(block, not block)
        bad = text.count(REPLACED) - block.count(REPLACED.encode())
        n_wrong += bad
        n_right += len(text) - bad - len(text.encode("ascii", "ignore"))
    if n_wrong <= 0:
        return Encoding()
    if n_right > n_wrong:
        return Encoding(sure=False)  # what is wrong is said line by line
    words = Words()
    file.seek(0)
    for block in _blocks(file):
        words.add(block)
    return _of_words(likely(readings(list(words.found))))


def _of_words(found: list[Reading]) -> Encoding:
    if not found:
        return Encoding(sure=False)
    shown = tuple(word.strip(AROUND)[:LONGEST] for word in found[0].words[:SHOWN])
    if len(found) == 1:
        return Encoding(found[0].name, sure=False, words=shown)
    rivals = tuple((one.name, _differing(one, found)) for one in found)
    return Encoding(found[0].name, sure=False, words=shown, rivals=rivals)


def _differing(one: Reading, found: list[Reading]) -> tuple[str, ...]:
    """Words of a reading that another reading has not."""
    words = [
        word
        for n, word in enumerate(one.words)
        if len({other.words[n] for other in found}) > 1
    ]
    return tuple(word[:LONGEST] for word in words[:EXAMPLES])


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
