"""Google Forms: a row for each person, a column for each item in a grid of questions.

The head of a column is "question [row]". One of the two is the text that was rated, the
other one says what was asked: the text is the longer one. Who answered is the e-mail
address or the name, else the number of the answer.
(support.google.com/docs, answers to a form in Sheets)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports._verbs import Part
from annotation.imports.files import Record, Table
from annotation.imports.files._table import LONGEST_NAME
from annotation.imports.presets._answers import IN_WORDS, answer
from annotation.imports.presets._preset import Preset, Records

# The first column, in the languages that forms are mostly made in.
TIMES = (
    *("timestamp", "zeitstempel", "horodateur", "marca temporal", "отметка времени"),
    *("carimbo de data/hora", "informazioni cronologiche", "tijdstempel", "时间戳记"),
    *("タイムスタンプ", "타임스탬프", "sygnatura czasowa"),
)
PEOPLE = ("email address", "username", "name", "e-mail-adresse", "prolific id")
FEWEST_WORDS = 4  # of a text in a head, on average
CUT = f"its head is longer than {LONGEST_NAME} characters and was cut"
OF_FORM = "it is about the form, not about the texts"
_GRID = re.compile(r"(?P<title>.+?)\s*\[(?P<row>.+)\](?: \(\d+\))?", re.DOTALL)


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    begins = bool(table.columns) and table.columns[0].strip().lower() in TIMES
    return begins and bool(_texts(table.columns))


def _texts(columns: Collection[str]) -> str:
    """Which part of the heads is the text: "title", "row", or "" if none is."""
    heads = [match for column in columns if (match := _GRID.fullmatch(column))]
    if len(heads) < 2:
        return ""
    words = {
        part: sum(len(one[part].split()) for one in heads) / len(heads)
        for part in ("title", "row")
    }
    longer = max(words, key=lambda part: words[part])
    return longer if words[longer] >= FEWEST_WORDS else ""


def _unfold(records: Records, account: Account) -> Records:
    kept = _verbs.without(_named(records, account), _is_cut, account, CUT)
    for line, cells in kept:
        text = _texts(cells)

        def part_of(column: str, text: str = text) -> Part | None:
            match = _GRID.fullmatch(column) if text else None
            if match is None:
                return None
            asked = match["row" if text == "title" else "title"].strip()
            return Part(match[text].strip(), f"rating:{asked.rstrip(':?')}")

        yield from _verbs.melt(iter([Record(line, cells)]), part_of, account)


def _named(records: Records, account: Account) -> Records:
    """Who answered; and of the cells in the grid those that can be ratings."""
    for number, (line, cells) in enumerate(records, start=1):
        found: dict[str, Any] = {}
        who = ""
        for column, value in cells.items():
            if _GRID.fullmatch(column):
                if (rating := answer(value)) is not None:
                    found[column] = rating
                elif filled(value):
                    account.set_aside(column, words=IN_WORDS)
            elif column.strip().lower() in PEOPLE and filled(value) and not who:
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
