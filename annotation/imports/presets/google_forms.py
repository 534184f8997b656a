"""Google Forms: a row for each person, a column for each item in a grid of questions.

The head of a column is "question [row]". One of the two is the text that was rated, the
other one says what was asked. Who answered is the e-mail
address or the name, else the number of the answer.
(support.google.com/docs, answers to a form in Sheets)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports.files import Record, Table
from annotation.imports.files._table import LONGEST_NAME
from annotation.imports.presets import _grids
from annotation.imports.presets._preset import Preset, Records

# The first column, in the languages that forms are mostly made in.
TIMES = (
    *("timestamp", "zeitstempel", "horodateur", "marca temporal", "отметка времени"),
    *("carimbo de data/hora", "informazioni cronologiche", "tijdstempel", "时间戳记"),
    *("タイムスタンプ", "타임스탬프", "sygnatura czasowa"),
)
PEOPLE = ("email address", "username", "name", "e-mail-adresse", "prolific id")
CUT = f"its head is longer than {LONGEST_NAME} characters and was cut"
OF_FORM = "it is about the form, not about the texts"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    begins = bool(table.columns) and table.columns[0].strip().lower() in TIMES
    is_cut = any(_is_cut(column) and "[" in column for column in table.columns)
    return begins and (is_cut or bool(_grids.parts(heads(table.columns))))


def heads(columns: Collection[str]) -> dict[str, tuple[str, str]]:
    """Of "title [row]" both parts; a column that is there twice has a number behind."""
    found = {}
    for column in columns:
        head = column.strip()
        if head.endswith(")") and "] (" in head:
            head = head[: head.rindex(" (")]
        title, bracket, row = head.partition("[")
        if bracket and row.endswith("]") and title.strip() and row[:-1].strip():
            found[column] = title.strip(), row[:-1].strip()
    return found


def _unfold(records: Records, account: Account) -> Records:
    kept = _verbs.without(_named(records, account), _is_cut, account, CUT)
    for line, cells in kept:
        part_of = _grids.parts(heads(cells)).get
        rows = _verbs.melt(iter([Record(line, cells)]), part_of, account)
        yield from _grids.ratings_only(rows, account)


def _named(records: Records, account: Account) -> Records:
    """Who answered, in a column of its own."""
    for number, (line, cells) in enumerate(records, start=1):
        found: dict[str, Any] = {}
        who = ""
        for column, value in cells.items():
            if column.strip().lower() in PEOPLE and filled(value) and not who:
                who = str(value).strip()
            elif column.strip().lower() in TIMES:
                _verbs.set_aside({column: value}, account, OF_FORM)
            else:
                found[column] = value
        yield Record(line, {"rater": who or f"person {number}", **found})


def _is_cut(column: str) -> bool:
    return len(column) >= LONGEST_NAME


PRESET = Preset(
    title="Google Forms, a column for each text",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    note="Each person is a row: without an e-mail address or a name they are numbered.",
)
