"""All records of a file, looked at once and kept on disk until they are read. Pure.

What a file is cannot be told from its beginning: a rater may come late, a field may
begin in the middle. So each column has a profile of all its cells, in bounded memory.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import (
    is_missing,
    number,
    numbers_in,
    several,
    whole,
    with_point,
)
from annotation.imports._names import words_of
from annotation.imports._written import Style
from annotation.imports.files import Record
from annotation.imports.files._table import ROOM

IN_MEMORY = 4 * 1024 * 1024  # bytes: most files
MOST_ASIDE = 200  # records
FIRST = 200  # records to show and to compare two columns in
_DATE = re.compile(r"\d[:/.-]\d{1,2}[:/.-]\d|\d:\d\d\b")
MOST_VALUES = 40  # different ones of a scale
MOST_BELOW_GAP = 10  # the highest number of a scale, beside one far outside
LOWEST = 5  # how far a scale goes below 0
FEWEST_LISTS = 5  # that show what they are of
LONGEST_PART = 30  # of an answer in a list
LONGEST_ANSWER = 200  # characters
# Numbers by which programs, SPSS above all, say that there is none.
SENTINELS = frozenset(
    map(
        int,
        "-1 -8 -9 -66 -77 -88 -97 -98 -99 -999 -9999 9 77 88 98 99 999 9999".split(),
    )
)
# Scripts that write no spaces between words: Thai, Lao, Chinese, Japanese, ...
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)


class Column:
    """What was seen of a column in all records."""

    def __init__(self, name: str, *, ids: bool = False) -> None:
        self.name = name
        self.words = words_of(name[:200])
        self.n = 0  # filled cells
        self.n_numbers = 0
        self.n_missing = 0  # words such as NA
        self.style = Style()
        self.values: Counter[str] | None = Counter()  # None: too many different ones
        self.odd: Any = None  # the first that is no number
        self.low, self.high, self.total = math.inf, -math.inf, 0.0
        self._low_rest, self._high_rest = math.inf, -math.inf
        self._sentinels: Counter[float] = Counter()
        self._n_whole = self._n_texts = self._characters = 0
        self._n_spaces = self._n_unspaced = self._n_whole_else = 0
        self._n_dates = self._n_of_objects = 0  # texts that look like these
        self._n_lists = self._n_objects = 0  # of numbers, and of objects
        self._n_word_lists = self._n_ascending = 0
        self._lengths: set[int] = set()  # of lists of numbers
        self._counts_up, self._last = True, 0.0
        self._values: set[int] | None = set() if ids else None  # hashes

    def add(self, value: Any) -> None:
        """A cell that is filled."""
        self.n += 1
        if self._values is not None:
            self._values.add(hash(str(value)))
        if isinstance(value, str):
            self._see_text(value)
        if (numbers := numbers_in(value)) is not None:
            self._add_numbers(value, numbers)
        elif isinstance(value, list) and not any(map(_is_nested, value)):
            self._n_word_lists += 1
            self.odd = value if self.odd is None else self.odd
            if any(len(str(part)) > LONGEST_PART for part in value):
                self.values = None  # texts
            for part in several(value):
                self._count_value(part)
        else:
            self._add_value(value)

    def _see_text(self, value: str) -> None:
        self._n_texts += 1
        self._characters += len(value)
        self._n_spaces += value.count(" ")
        self._n_unspaced += bool(_UNSPACED.search(value[:200]))
        self._n_dates += len(value) < 60 and bool(_DATE.search(value))
        self._n_of_objects += value[:1] in "{[" and value[-1:] in "}]"

    def _add_value(self, value: Any) -> None:
        self._count_value(value)
        if is_missing(value):
            self.n_missing += 1
            return
        if (read := self._number(value)) is not None:
            self._see(read)
            self._counts_up = self._counts_up and read == self._last + 1
            self._last = read
            return
        self.odd = value if self.odd is None else self.odd
        self._n_objects += _is_list_of_objects(value)

    def _number(self, value: Any) -> float | None:
        """Also of a cell that is one only if all of the column are written so."""
        read = self.style.see(value) if isinstance(value, str) else value
        if (found := number(value)) is not None:
            self.n_numbers += 1
            self._n_whole += whole(value) is not None
            return found
        found = number(read) if read is not value else None
        if found is not None:
            self._n_whole_else += whole(read) is not None
            self.odd = value if self.odd is None else self.odd
        return found

    def _add_numbers(self, value: Any, numbers: list[float]) -> None:
        """A list: the answers of several people are told one by one."""
        self.odd = value if self.odd is None else self.odd
        self._n_lists += 1
        self._lengths.add(len(numbers))
        self._n_ascending += all(a < b for a, b in pairwise(numbers))
        for one in several(value):
            self._count_value(one)
        for found in numbers:
            self._see(found)

    def _see(self, found: float | None) -> None:
        if found is None:
            return
        self.low, self.high = min(self.low, found), max(self.high, found)
        self.total += found
        if found in SENTINELS:
            self._sentinels[found] += 1
            return
        self._low_rest = min(self._low_rest, found)
        self._high_rest = max(self._high_rest, found)

    def _count_value(self, value: Any) -> None:
        if self.values is None:
            return
        text = str(value).strip()
        if isinstance(value, list | dict) or len(text) > LONGEST_ANSWER:
            self.values = None
            return
        self.values[text] += 1
        if len(self.values) > MOST_VALUES:
            self.values = None

    @property
    def n_read(self) -> int:
        """Cells with a number, as they are written in this column."""
        style = self.style
        commas = style.n_commas if style.reads_commas else 0
        return self.n_numbers + commas + (style.n_in_ways if self._is_in_way else 0)

    @property
    def _is_in_way(self) -> bool:
        """Whether all cells are in one way: 40% beside 0.4 is another number."""
        return bool(self.style.way) and self.style.n_in_ways == self.n_values

    @property
    def highest(self) -> int:
        """The most that a cell could say, of 4/7 or 40%; 0: cells do not say it."""
        return self.style.of if self._is_in_way else 0

    def answer(self, cell: str) -> list[Any]:
        """What a cell says, once or several times; commas are as they stand in it."""
        if self.style.may_be_lists:
            return cell.split(",")
        return several(self.read(cell) if self._is_in_way else cell)

    def read(self, cell: Any, *, parted: bool = False) -> Any:
        """A cell with its number as Python writes it; see `Style.read`."""
        if self.style.way and not self._is_in_way:
            return cell
        return self.style.read(cell, parted=parted)

    @property
    def n_values(self) -> int:
        """Filled cells that do not say that there is nothing."""
        return self.n - self.n_missing

    @property
    def is_numeric(self) -> bool:
        return self.n_read == self.n_values > 0

    @property
    def is_mostly_numbers(self) -> bool:
        """Cells that are none are then said one by one, and nothing is left out."""
        return 2 * self.n_read > self.n_values

    @property
    def is_running(self) -> bool:
        """1, 2, 3 ...: numbers of rows, as R and pandas write them."""
        return self._counts_up and self.is_numeric and self._last > 2

    @property
    def is_whole(self) -> bool:
        """Whether all its numbers are."""
        is_read = self._is_in_way or self.style.reads_commas
        n_else = self._n_whole_else if is_read else 0
        return self._n_whole + n_else == self.n_read > 0

    @property
    def sentinels(self) -> dict[float, int]:
        """Numbers far outside the others, such as 99 beside 1 to 5; and how many."""
        low, high = self._low_rest, self._high_rest
        if low > high:  # there is nothing else
            return {v: n for v, n in self._sentinels.items() if v <= -8 or v > 60}
        if low < -LOWEST:
            return {}
        return self._beyond_a_gap() | {
            value: n
            for value, n in sorted(self._sentinels.items())
            if (value <= -8 and value < 3 * low)
            or (value == -1 and 0 < low < high)  # beside 1 alone, it is an answer
            or (value == 9 and high <= 7)
            or (value > 9 and value > 5 * high)
        }

    def _beyond_a_gap(self) -> dict[float, int]:
        """A few numbers more than twice as large as all others, which go to 10 at most.

        44 is a 4 that was hit twice, and made the scale one from 1 to 100. A lone -5
        beside 1 to 5 made it one from -5 on.
        """
        read = {number(with_point(one)): n for one, n in (self.values or {}).items()}
        counts = {one: n for one, n in read.items() if one is not None}
        some = sorted(counts)
        if len(some) < 3 or some[1] < 0:
            return {}
        if some[0] < 0:
            is_lone = some[1] > 0 and 8 * counts[some[0]] <= sum(counts.values())
            return {some[0]: counts[some[0]]} if is_lone else {}
        for below, above in pairwise(some):
            if below <= MOST_BELOW_GAP and above > 2 * max(below, 4):
                far = {one: counts[one] for one in some if one >= above}
                few = 4 * sum(far.values()) <= sum(counts.values())
                return far if few else {}
        return {}

    @property
    def ends(self) -> tuple[float, float]:
        """Its lowest and highest number, but for those far outside."""
        far = self.sentinels
        inside = [value for value in self._sentinels if value not in far]
        high = self._high_rest
        low = self._low_rest
        if high in far or low in far:  # beyond a gap
            read = (number(with_point(one)) for one in self.values or ())
            rest = [one for one in read if one is not None and one not in far]
            low, high = min(rest), max(rest)
        return min([low, *inside]), max([high, *inside])

    @property
    def mean_words(self) -> float:
        """Of a cell; in scripts without spaces, two characters count as one word."""
        if 2 * self._n_unspaced > self._n_texts:
            return self.mean_length / 2
        return 1 + self._n_spaces / self._n_texts if self._n_texts else 0.0

    @property
    def is_lists_of_numbers(self) -> bool:
        """Where some have rated alone, single numbers may stand between."""
        return self._n_lists > 0 and self._n_lists + self.n_numbers == self.n_values

    @property
    def are_choices(self) -> bool:
        """Lists of what one person ticked: each number once, in order, any how many."""
        ordered = self._n_ascending == self._n_lists >= FEWEST_LISTS
        return ordered and len(self._lengths) > 1

    @property
    def is_messages(self) -> bool:
        return self._n_objects == self.n

    @property
    def mean_length(self) -> float:
        return self._characters / self._n_texts if self._n_texts else 0.0

    @property
    def is_of_dates(self) -> bool:
        return 2 * self._n_dates > self._n_texts

    @property
    def is_of_objects(self) -> bool:
        """Whether most of its cells are JSON, which nobody reads as a text."""
        return 2 * self._n_of_objects > self._n_texts

    @property
    def may_be_text(self) -> bool:
        """Not the name of a metric, under "output", or a label, under "target"."""
        if self.words == "text" or self.values is None:
            return True
        return self.mean_words >= 1.5 or len(self.values) > self.n_values / 2

    @property
    def repeats(self) -> bool:
        """Of a column that may have ids: whether a value stands in two records."""
        return self._values is None or len(self._values) < self.n


class Records:
    """Profiles of columns, and the records themselves, as often as one reads them."""

    def __init__(
        self,
        records: Iterable[Record],
        account: Account,
        ids: frozenset[str],
        is_odd: Callable[[Record], bool] = lambda record: False,
    ) -> None:
        """Read to the end.

        Args:
            records: They can be read once.
            account: Is told which cells are filled.
            ids: What columns are called that may hold ids, in small letters.
            is_odd: Whether a record may be none, which shows once all are seen: those
                wait in `aside`, by their place, until `settle`.
        """
        self.columns: dict[str, Column] = {}
        self.first: list[Record] = []
        self.aside: dict[int, Record] = {}
        self._ids, self._bits = ids, dict[str, int]()
        self.n, self._room, self._out = 0, ROOM, frozenset[int]()
        self._account = account
        self._spool = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            IN_MEMORY, mode="w+", encoding="utf-8", newline="\n"
        )
        for place, record in enumerate(records):
            line = json.dumps(record) + "\n"
            self._spool.write(line)
            if is_odd(record) and len(self.aside) < MOST_ASIDE:
                self.aside[place] = record
            else:
                self._see(record, len(line))

    def settle(self, out: Collection[int]) -> None:
        """Of the records aside these are left out; the others are as any."""
        for place, record in self.aside.items():
            if place not in out:
                self._see(record, len(str(record.cells)))
        self._out, self.aside = frozenset(out), {}
        self.first.sort(key=lambda record: record.line)

    def _see(self, record: Record, size: int) -> None:
        mask = 0
        for name, value in record.cells.items():
            column = self.columns.get(name) or self._new(name, self._account)
            if filled(value):
                column.add(value)
                mask |= self._bits[name]
        self._account.record(record.line, mask)
        self.n += 1
        if len(self.first) < FIRST and self._room > 0:
            self.first.append(record)
            self._room -= size

    def _new(self, name: str, account: Account) -> Column:
        made = Column(name)
        if made.words in self._ids:
            made = Column(name, ids=True)
        self.columns[name], self._bits[name] = made, account.bit(name)
        return made

    def __iter__(self) -> Iterator[Record]:
        self._spool.seek(0)
        for place, line in enumerate(self._spool):
            if place not in self._out:
                yield Record(*json.loads(line))


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def _is_list_of_objects(value: Any) -> bool:
    """Also one that is written into a cell, as JSON."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "[" and "{" in value[:50]
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
