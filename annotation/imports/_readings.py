"""Which encodings the bytes of a file may be in, by the words that they make. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.imports._alphabets import fits

# In this order where words are the same: what programs of Windows write comes first.
SCRIPTS = {
    "cp1252": "letters",
    "cp1250": "letters",
    "iso8859-2": "letters",
    "cp1254": "letters",
    "mac_roman": "letters",
    "cp850": "letters",
    "cp1251": "letters",
    "koi8-u": "letters",
    "mac_cyrillic": "letters",
    "cp866": "letters",
    "cp1253": "letters",
    "gb18030": "chinese",
    "big5": "traditional",
    "shift_jis": "japanese",
    "cp932": "japanese",
    "euc_jp": "japanese",
    "euc_kr": "korean",
}
USUAL = "cp1252"
CLEAR = 0.1  # better than the next by so much, in words that differ
FAR = 0.2  # and better than others in all words
LOW = 0.6  # with less, words of no language are read
MOST = 2_000  # different words
MOST_RIVALS = 3
LONGEST = 400  # bytes of a word
MOST_BYTES = 1 << 16  # that are waited for until a word ends
# Bytes that are never the second of a character of two, in any of these encodings.
_BETWEEN = b",;\"'.:!?()\t\r\n-/<>="
_APART = bytes.maketrans(_BETWEEN, b" " * len(_BETWEEN))
_ASCII = bytes(range(128))


class Reading(NamedTuple):
    name: str
    words: tuple[str, ...]
    fits: list[float]  # of each word

    @property
    def worth(self) -> float:
        return sum(self.fits) / len(self.fits)

    def lead(self, other: Reading) -> float:
        """How much better it is, in the words that the other one has not."""
        differing = [
            one - two
            for a, b, one, two in zip(
                self.words, other.words, self.fits, other.fits, strict=True
            )
            if a != b
        ]
        return sum(differing) / len(differing)


class Words:
    """Words of bytes with one that is not ASCII, each once, of a whole file."""

    def __init__(self) -> None:
        self._rest, self._is_cut = b"", False  # the end of the last block
        self._bytes: set[int] = set()
        self.found: dict[bytes, None] = {}

    def add(self, block: bytes) -> None:
        """The next bytes of the file; none: it ends."""
        pieces = (self._rest + block).translate(_APART).split(b" ")
        if self._is_cut and len(pieces) > 1:
            pieces[0], self._is_cut = b"", False
        self._rest = pieces.pop() if block else b""
        if self._is_cut:
            self._rest = b""
        elif self._rest.isascii():
            self._rest = self._rest[-LONGEST:]
        elif len(self._rest) > MOST_BYTES:  # a line without any space: it never ends
            pieces.append(self._rest)
            self._rest, self._is_cut = b"", True
        for piece in pieces:
            if not piece.isascii():
                self._note(piece)

    def _note(self, word: bytes) -> None:
        n_before = len(word) - len(word.lstrip(_ASCII))
        start = max(0, n_before - LONGEST // 2)
        word = word[start : start + LONGEST]
        if len(self.found) < MOST or not self._bytes.issuperset(word):
            self._bytes.update(word)
            self.found[word] = None


def readings(words: Sequence[bytes]) -> list[Reading]:
    """What they may be, the likeliest first; the same words are one reading."""
    found: dict[tuple[str, ...], Reading] = {}
    for name, script in SCRIPTS.items():
        read = tuple(_read(words, name))
        if read and read not in found:
            found[read] = Reading(name, read, fits(read, script))
    return sorted(found.values(), key=lambda one: -one.worth)


def _read(words: Sequence[bytes], name: str) -> Iterator[str]:
    """Nothing if one of the words cannot be read so."""
    made = []
    for word in words:
        try:
            made.append(
                word.decode(name, "ignore" if len(word) == LONGEST else "strict")
            )
        except UnicodeDecodeError:
            return
    yield from made


def likely(found: Sequence[Reading]) -> list[Reading]:
    """The one that is clearly right, or those between which a person chooses.

    Where no words are of any language, the usual encoding is among them, or there is
    no reading at all.
    """
    if found and (best := found[0]).worth >= LOW:
        near = [
            one
            for one in found[1:]
            if best.lead(one) < CLEAR and best.worth - one.worth < FAR
        ]
        return [best, *near][:MOST_RIVALS]
    usual = [one for one in found if one.name == USUAL]
    if not usual:
        return []
    return [*usual, *(one for one in found if one not in usual)][:MOST_RIVALS]
