"""Records with a mapping -> rows. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.imports import _draws
from annotation.imports._account import Account, filled
from annotation.imports._cells import (
    Cells,
    is_missing,
    number,
    several,
    whole,
    without_fraction,
)
from annotation.imports._checks import NO_TEXT
from annotation.imports._problems import Problems, shown
from annotation.imports._profile import Column
from annotation.imports._rows import Mean, Rating, Row
from annotation.imports._values import NOTHING, Table, says_nothing
from annotation.imports.files import Record

LONGEST = {"label": 100, "system": 100, "key": 64, "pair": 64}


@dataclass(frozen=True)
class Reading:
    """How the numbers of a file are written."""

    tables: Mapping[str, Table] = field(default_factory=dict)  # by aspect or metric
    columns: Mapping[str, Column] = field(default_factory=dict)
    parted: bool = False  # a comma that may be either parts thousands


class Reader:
    """Turns records into rows, as a mapping says."""

    def __init__(
        self,
        mapping: Mapping[str, str],
        problems: Problems,
        account: Account | None = None,
        reading: Reading | None = None,
    ) -> None:
        self._problems, self._account = problems, account or Account()
        self._reading = reading or Reading()
        self._by: dict[str, list[tuple[str, str]]] = {}  # kind: columns, of what
        for column, role in mapping.items():
            kind, _, about = role.partition(":")
            self._by.setdefault(kind, []).append((column, about.strip()))
        # Asked for each row.
        self._beside_columns = [*self.columns("prompt"), *self.columns("source")]
        self._first = {kind: columns[0][0] for kind, columns in self._by.items()}

    @property
    def is_by_id(self) -> bool:
        """Whether the texts are elsewhere, under the same ids."""
        return not {"text", "messages"} & set(self._by)

    def row(self, record: Record) -> Row:
        made = self.bare(record)
        if self.is_by_id:
            if not made.key:
                self._wrong(record, f"Column “{self._first['key']}” is empty")
            made.by_id = True
            return made
        if made.is_empty and not made.may_be_empty:
            column, _ = self._cell("text", record)
            self._wrong(record, f"Column “{column}” is empty: {NO_TEXT}")
        return made

    def bare(self, record: Record) -> Row:
        """The same of a record that need not have a text."""
        made = Row(
            line=record.line,
            text=self._text("text", record),
            prefix=self._text("prefix", record),
            label=self._name("label", record),
            source=self._beside(record),
            references=list(self._several("reference", record)),
            edited=list(self._several("edited", record)),
            system=self._name("system", record),
            sample=self._sample(record),
            key=self._name("key", record),
            pair=self._name("pair", record),
            log_probability=self._number("log_probability", record),
        )
        made.asked, made.probability, made.stratum = self._draw(record)
        made.has_rater = self._is_by_a_rater(record)
        made.ratings = list(self._ratings(record))
        made.means = list(self._means(record))
        made.scores = dict(self._scores(record))
        return made

    def _is_by_a_rater(self, record: Record) -> bool:
        """Named or not; nobody need have said yet which number the answer is."""
        answers = (record.cells.get(column) for column, _ in self.columns("rating"))
        return not _empty(self.cell("rater", record)) or any(map(filled, answers))

    def has(self, kind: str) -> bool:
        return kind in self._by

    def cell(self, kind: str, record: Record) -> Any:
        """What stands in the first column of that kind; None if there is none."""
        return self._cell(kind, record)[1]

    def cells(self, record: Record) -> Cells:
        """For what is read out of a cell."""
        return Cells(record.line, record.cells, self._problems)

    def rater(self, record: Record) -> str:
        """Who gave the ratings of the row; empty: nobody is named."""
        return self._text("rater", record).strip()

    # Texts and names ------------------------------------------------------------------

    def columns(self, kind: str) -> list[tuple[str, str]]:
        return self._by.get(kind, [])

    def _cell(self, kind: str, record: Record) -> tuple[str, Any]:
        column = self._first.get(kind)
        return (column, record.cells.get(column)) if column is not None else ("", None)

    def _wrong(self, record: Record, message: str) -> None:
        self._problems.add(message, record.line)

    def _text(self, kind: str, record: Record) -> str:
        column, value = self._cell(kind, record)
        return self._as_text(column, value, record)

    def _as_text(self, column: str, value: Any, record: Record) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return "\n".join(value)  # a dialogue, turn by turn
        told = shown(json.dumps(value, default=str))
        self._wrong(record, f"Column “{column}” must be text, but is {told}")
        return ""

    def _name(self, kind: str, record: Record) -> str:
        column, value = self._cell(kind, record)
        if value is None:
            return ""
        found = self._as_text(column, value, record).strip()
        if kind == "key":
            found = without_fraction(found)
        if len(found) > LONGEST[kind]:
            self._wrong(
                record,
                f"Column “{column}” has {len(found):,} characters. A {kind} may have up"
                f" to {LONGEST[kind]}: is this the right column?",
            )
        return found

    def _beside(self, record: Record) -> str:
        """Prompt and source document are both shown beside the text, in this order."""
        columns = self._beside_columns
        texts = [self._as_text(c, record.cells.get(c), record) for c, _ in columns]
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def _several(self, kind: str, record: Record) -> Iterator[str]:
        for column, _ in self.columns(kind):
            value = record.cells.get(column)
            for one in value if isinstance(value, list) else [value]:
                if text := self._as_text(column, one, record).strip():
                    yield text

    # Numbers --------------------------------------------------------------------------

    def _written(self, column: str, value: Any) -> Any:
        """A number as Python writes it."""
        seen = self._reading.columns.get(column)
        return seen.read(value, parted=self._reading.parted) if seen else value

    def _answer(self, column: str, about: str, value: Any, record: Record) -> Any:
        """What stands in a cell that should have a number; None: nothing."""
        answer = self._read(column, about, value)
        if answer is None and not _empty(value):
            self._account.missing(record.line, column)
        return answer

    def _read(self, column: str, about: str, value: Any) -> Any:
        if _empty(value):
            return None
        written = self._written(column, value)
        table = self._reading.tables.get(about, {})
        spellings = _spellings(value, written) if table else ()
        word = next((one for one in spellings if one in table), None)
        if word is not None:
            stands = table[word]
            if stands is None:
                self._account.not_answered(column)
            return None if stands == NOTHING else stands
        return None if is_missing(value) or says_nothing(value) else written

    def _sample(self, record: Record) -> int | None:
        column, value = self._cell("sample", record)
        if _empty(value):
            return None
        found = whole(value)
        if found is None or not 0 < found < 2**31:
            told = f"Column “{column}” must be 1, 2, 3 ..., but is {shown(value)}"
            self._wrong(record, told)
            return None
        return found

    def _number(self, kind: str, record: Record) -> float | None:
        column, value = self._cell(kind, record)
        value = self._answer(column, "", value, record)
        return None if value is None else self._as_number(column, value, record)

    def _draw(self, record: Record) -> _draws.Draw:
        asked, probability, stratum = (self.cell(k, record) for k in _draws.NAMES)
        if not self.has("asked"):
            return _draws.Draw()
        return _draws.read(
            (asked, probability, stratum), lambda told: self._wrong(record, told)
        )

    def _as_number(self, column: str, value: Any, record: Record) -> float | None:
        found = number(value)
        if found is None:
            told = f"Column “{column}” must be a number, but is {shown(value)}"
            self._wrong(record, told)
        return found

    def _ratings(self, record: Record) -> Iterator[Rating]:
        by = self.rater(record)
        for column, about in self.columns("rating"):
            aspect, _, rater = about.partition(":")
            parts = self._parts(column, record.cells.get(column))
            answers = [self._read(column, aspect.strip(), part) for part in parts]
            if parts and all(answer is None for answer in answers):
                self._account.missing(record.line, column)
            for part in answers:
                if part is None:
                    continue
                found = whole(part)
                if found is None:
                    self._wrong(
                        record,
                        f"Column “{column}” must be a whole number, but is"
                        f" {shown(part)}: correct it, choose “Mean rating of”, or"
                        " ignore the column",
                    )
                else:
                    name = rater.strip() or by
                    yield Rating(aspect, name if len(parts) == 1 else "", found)

    def _parts(self, column: str, value: Any) -> list[Any]:
        seen = self._reading.columns.get(column)
        if seen and seen.style.may_be_lists and isinstance(value, str):
            return value.split(",")  # 1,2: somebody said that these are ratings
        return several(value)

    def _means(self, record: Record) -> Iterator[Mean]:
        n_column, n = self._cell("n", record)
        n = self._answer(n_column, "", n, record)
        count = None if _empty(n) else whole(n)
        if not _empty(n) and (count is None or not 0 < count < 2**31):
            told = f"Column “{n_column}” must be 1, 2, 3 ..., but is {shown(n)}"
            self._wrong(record, told)
            count = None
        for column, aspect in self.columns("mean"):
            value = self._answer(column, aspect, record.cells.get(column), record)
            if value is not None:
                found = self._as_number(column, value, record)
                if found is not None:
                    yield Mean(aspect, found, count)

    def _scores(self, record: Record) -> Iterator[tuple[str, float]]:
        for column, metric in self.columns("score"):
            value = self._answer(column, metric, record.cells.get(column), record)
            if value is not None:
                found = self._as_number(column, value, record)
                if found is not None:
                    yield metric, found


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _spellings(value: Any, written: Any) -> Iterator[str]:
    """How a table of answers may have a cell: as it is, or as a number."""
    yield str(value).strip()
    yield str(written).strip()
    if (read := number(written)) is not None:
        yield f"{read:g}"
