"""Numbers as people and their programs write them. Pure.

Of each cell alone: digits of other scripts, real minus signs, spaces between thousands.
Of a whole column, as one cell may mean another thing: 4/5, 40% and stars.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import chain
from typing import Any

LONGEST = 64  # characters: twice what a program prints of a float
_SIGNS = str.maketrans("−－﹣＋．，٫", "---+.,.")
_SPACED = re.compile(r"[+-]?[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f'’]\d{3})++", re.ASCII)
_BOTH = re.compile(
    r"[+-]?[1-9]\d{0,2}(?:,\d{3})++\.\d{1,15}+|[+-]?[1-9]\d{0,2}(?:,\d{3}){2,5}+",
    re.ASCII,
)
_OTHER_WAY = re.compile(
    r"[+-]?[1-9]\d{0,2}(?:\.\d{3})++,\d{1,15}+|[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,5}+",
    re.ASCII,
)
_OF = re.compile(r"(\d{1,3}) ?/ ?(\d{1,3})", re.ASCII)
_PERCENT = re.compile(r"([+-]?\d{1,15}+(?:[.,]\d{1,15}+)?) ?%", re.ASCII)
_STARS = re.compile(r"([★⭐]{1,10}+)[☆✩✰]{0,10}+")
COMMA = re.compile(r"[+-]?\d{1,15}+,\d{1,15}+", re.ASCII)
# Three answers or more: two may be a number with a decimal comma.
COMMAS = re.compile(
    r"\d{1,3}+(?:\.\d{1,3}+)?+(?: ?, ?\d{1,3}+(?:\.\d{1,3}+)?+){2,1000}+", re.ASCII
)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})++", re.ASCII)
_PARTED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
LONGEST_LIST = 100_000  # characters of a list written into a cell
SEPARATORS = (";", "|", ", ")
FEWEST_PAIRS = 4
PERCENT, OF, STARS = "percent", "of", "stars"


def plainly(cell: str) -> str:
    """A cell with one number in it as Python writes it; any other as it is."""
    text = cell.strip()
    if not may_be_number(text):
        return cell
    if len(text) == 1 and "①" <= text <= "⑳":
        return str(int(unicodedata.numeric(text)))
    if not text.isascii():
        text = "".join(map(_digit, text)).translate(_SIGNS)
    if text[0] in "–'" and text[1:2].isdigit():  # Excel's mark of a text
        text = text[1:] if text[0] == "'" else f"-{text[1:]}"
    text = _closed(text)
    if _BOTH.fullmatch(text):
        return text.replace(",", "")
    if _OTHER_WAY.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    return text


def may_be_number(text: str) -> bool:
    """Quick: most cells are words, and asking them all of the below took long."""
    if not 0 < len(text) <= LONGEST:
        return False
    return not (text[0].isalpha() or text[-1].isalpha())


def _digit(sign: str) -> str:
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)


def _closed(text: str) -> str:
    """1 234,5 -> 1234,5"""
    if not (" " in text or "'" in text or not text.isascii()):
        return text
    n = min((n for n in map(text.find, ",.") if n >= 0), default=len(text))
    if not _SPACED.fullmatch(text, 0, n):
        return text
    return "".join(c for c in text[:n] if c.isdigit() or c in "+-") + text[n:]


def way_of(cell: str) -> tuple[str, int, str] | None:
    """Of a cell that is no plain number: its way, of how many, and the number."""
    text = cell.strip().replace("\ufe0f", "")
    if not text or len(text) > LONGEST:
        return None
    if found := _PERCENT.fullmatch(text):
        return PERCENT, 100, found[1].replace(",", ".")
    if (found := _OF.fullmatch(text)) and 1 < int(found[2]) >= int(found[1]):
        return OF, int(found[2]), found[1]
    if found := _STARS.fullmatch(text):
        return STARS, len(text), str(len(found[1]))
    return None


class Style:
    """How the numbers of a column are written, as far as it was seen."""

    def __init__(self) -> None:
        self.n_commas = 0  # 1,37
        self._n_thousands = 0  # of these, such as 1,234
        self._n_points = self._n_parted = 0  # 1.5, and those such as 1.234
        self._n_both = self._n_other_way = 0  # 1,234.5 and 1.234,5
        self._pairs: Counter[str] = Counter()  # such as 1,2
        self._ways: Counter[str] = Counter()
        self._of: set[int] = set()

    def see(self, cell: str) -> str:
        """A cell; as it is most likely read."""
        text = cell.strip()
        if text.isdigit() or not may_be_number(text):
            return cell
        text = _closed(text)
        if COMMA.fullmatch(text):
            self.n_commas += 1
            self._n_thousands += bool(THOUSANDS.fullmatch(text))
            if len(text) == 3:
                self._pairs[text] += 1
            return text.replace(",", ".")
        if found := way_of(text):
            way, of, number = found
            self._ways[way] += 1
            self._of.add(of)
            return number
        if "." in text:
            is_other, is_parted = _OTHER_WAY.fullmatch(text), _PARTED.fullmatch(text)
            self._n_both += bool(_BOTH.fullmatch(text))
            self._n_other_way += bool(is_other)
            self._n_parted += bool(is_parted)
            self._n_points += not is_other and not is_parted
        return cell

    @property
    def n_in_ways(self) -> int:
        return self._ways.total()

    @property
    def of(self) -> int:
        """The most that a cell could say, of 4/5 or 40%; 0: it does not say."""
        return max(self._of, default=0) if self.way else 0

    @property
    def way(self) -> str:
        """The one in which all cells are written that are no plain numbers."""
        [way] = self._ways if len(self._ways) == 1 else [""]
        return "" if way == OF and len(self._of) > 1 else way

    @property
    def has_commas(self) -> bool:
        """Whether numbers have a decimal comma; points there part thousands."""
        if not self.n_commas or self._n_points or self._n_both:
            return False
        is_clear = self.n_commas > self._n_thousands or self._n_other_way > 0
        return is_clear or not self._n_parted

    @property
    def may_be_thousands(self) -> bool:
        """Whether 1,234 may be a thousand as well: all with a comma look like it."""
        only = self._n_thousands == self.n_commas and not self._n_other_way
        return self.has_commas and only

    @property
    def may_be_lists(self) -> bool:
        """Whether 1,2 may be the ratings of two people: no digit says otherwise.

        Of means some have a zero behind the comma, or more than any scale has.
        """
        if not FEWEST_PAIRS <= self._pairs.total() == self.n_commas:
            return False
        before, after = ({pair[n] for pair in self._pairs} for n in (0, 2))
        return "0" not in after and len(after) > 1 and max(after) <= max(before)

    @property
    def has_thousands(self) -> bool:
        """Whether commas part thousands, as points are there, too."""
        looks = self.n_commas == self._n_thousands > 0 and not self._n_other_way
        return looks and bool(self._n_points or self._n_both)

    @property
    def reads_commas(self) -> bool:
        return self.has_commas or self.has_thousands

    def read(self, cell: Any, *, parted: bool = False) -> Any:
        """As Python writes it; parted: commas part thousands, as somebody said."""
        if not isinstance(cell, str):
            return cell
        text = cell.strip()
        if text.isdigit() or not may_be_number(text):
            return cell
        text = _closed(text)
        if self.way and (found := way_of(text)):
            return found[2]
        if COMMA.fullmatch(text) and self.reads_commas:
            no_point = self.has_thousands or (parted and self.may_be_thousands)
            return text.replace(",", "" if no_point else ".")
        if (self.has_commas or self._n_other_way) and not self._n_points:
            return text.replace(".", "") if _PARTED.fullmatch(text) else cell
        return cell


def listed(value: Any) -> list[Any] | None:
    """The parts of a cell: 4;5;3 or 4, 5, 3 or [4, 5, 3]; None: it can have none."""
    if isinstance(value, list):
        lists = (one if isinstance(one, list) else [one] for one in value)
        return list(chain.from_iterable(lists))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text.startswith("[") and text.endswith("]") and len(text) < LONGEST_LIST:
        return [part.strip().strip("\"'") for part in text[1:-1].split(",")]
    if COMMAS.fullmatch(text) and not THOUSANDS.fullmatch(text):
        return text.split(",")
    for separator in SEPARATORS:
        if separator not in text:
            continue
        some = [part.strip() for part in text.split(separator) if part.strip()]
        if len(some) > 1 and (separator == ";" or all(map(_is_short, some))):
            return [_with_point(part) for part in some]
    return [text.rstrip("; ")] if text.strip("; ") else []


def _is_short(part: str) -> bool:
    return len(part) <= 4 and part.replace(",", "").replace(".", "").isdigit()


def _with_point(part: str) -> str:
    return part.replace(",", ".") if COMMA.fullmatch(part) else part
