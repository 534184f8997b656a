"""All records of a file, looked at once and kept on disk until they are read. Pure.

What a file is cannot be told from its beginning: a rater may come late, a field may
begin in the middle. So each column has a profile of all its cells, in bounded memory.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number, whole
from annotation.imports.files import Record
from annotation.imports.files._table import ROOM

IN_MEMORY = 4 * 1024 * 1024  # bytes: most files
FIRST = 200  # records to show and to compare two columns in
_WORDS = re.compile(r"[^\W_]+")


class Column:
    """What was seen of a column in all records."""

    def __init__(self, name: str, *, ids: bool = False) -> None:
        self.name = name
        self.words = " ".join(_WORDS.findall(name[:200])).lower()
        self.n = 0  # filled cells
        self.n_numbers = 0
        self.odd: Any = None  # the first that is no number
        self.low, self.high = math.inf, -math.inf
        self._n_whole = self._n_texts = self._characters = 0
        self._n_ratings = self._n_objects = 0  # lists of these
        self._values: set[int] | None = set() if ids else None  # hashes

    def add(self, value: Any) -> None:
        """A cell that is filled."""
        self.n += 1
        if self._values is not None:
            self._values.add(hash(str(value)))
        if isinstance(value, str):
            self._n_texts += 1
            self._characters += len(value)
        found = number(value)
        if found is not None:
            self.n_numbers += 1
            self.low, self.high = min(self.low, found), max(self.high, found)
            self._n_whole += whole(value) is not None
            return
        if self.odd is None:
            self.odd = value
        self._n_objects += _is_list_of_objects(value)
        self._n_ratings += isinstance(value, list) and all(
            whole(one) is not None for one in value
        )

    @property
    def is_numeric(self) -> bool:
        return self.n_numbers == self.n > 0

    @property
    def is_mostly_numbers(self) -> bool:
        """Cells that are none are then said one by one, and nothing is left out."""
        return 2 * self.n_numbers > self.n

    @property
    def is_whole(self) -> bool:
        """Whether all its numbers are."""
        return self._n_whole == self.n_numbers > 0

    @property
    def is_lists_of_ratings(self) -> bool:
        return self._n_ratings == self.n > 0

    @property
    def is_messages(self) -> bool:
        return self._n_objects == self.n

    @property
    def mean_length(self) -> float:
        return self._characters / self._n_texts if self._n_texts else 0.0

    @property
    def repeats(self) -> bool:
        """Of a column that may have ids: whether a value stands in two records."""
        return self._values is None or len(self._values) < self.n


class Records:
    """Profiles of columns, and the records themselves, as often as one reads them."""

    def __init__(
        self, records: Iterable[Record], account: Account, ids: frozenset[str]
    ) -> None:
        """Read to the end.

        Args:
            records: They can be read once.
            account: Is told which cells are filled.
            ids: What columns are called that may hold ids, in small letters.
        """
        self.columns: dict[str, Column] = {}
        self.first: list[Record] = []
        self._ids, self._bits = ids, dict[str, int]()
        self.n, self._room = 0, ROOM
        self._spool = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            IN_MEMORY, mode="w+", encoding="utf-8", newline="\n"
        )
        for record in records:
            self._keep(record, account)

    def _keep(self, record: Record, account: Account) -> None:
        mask = 0
        for name, value in record.cells.items():
            column = self.columns.get(name) or self._new(name, account)
            if filled(value):
                column.add(value)
                mask |= self._bits[name]
        account.record(record.line, mask)
        line = json.dumps(record) + "\n"
        self._spool.write(line)
        self.n += 1
        if len(self.first) < FIRST and self._room > 0:
            self.first.append(record)
            self._room -= len(line)

    def _new(self, name: str, account: Account) -> Column:
        made = Column(name)
        if made.words in self._ids:
            made = Column(name, ids=True)
        self.columns[name], self._bits[name] = made, account.bit(name)
        return made

    def __iter__(self) -> Iterator[Record]:
        self._spool.seek(0)
        for line in self._spool:
            yield Record(*json.loads(line))


def _is_list_of_objects(value: Any) -> bool:
    """Also one that is written into a cell, as JSON."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "[" and "{" in value[:50]
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
