"""Toloka: INPUT:, OUTPUT:, GOLDEN:, HINT: and ASSIGNMENT: columns, a row per worker.

INPUT:text is the text, INPUT:system the system, and so on. Each OUTPUT: that is a
number or a word or two is a rating. GOLDEN: is the known answer of a control task, and
nobody's rating. Whether rejected assignments count is asked.
(toloka.ai/docs, results of a pool)
"""

from __future__ import annotations

from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, answer
from annotation.imports.presets._preset import Preset, Records, some

INPUT, OUTPUT, ASSIGNMENT = "INPUT:", "OUTPUT:", "ASSIGNMENT:"
KNOWN = ("GOLDEN:", "HINT:")
OF_CONTROL = "it is the known answer of a control task, or a hint to it"
OF_WORK = "it is about the work at Toloka, not about the text"
NAMES = {"worker_id": "rater", "status": "status"}


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        found: dict[str, Any] = {}
        for column, value in cells.items():
            kind, colon, name = column.partition(":")
            kind = f"{kind.upper()}{colon}"
            if kind == INPUT:
                found[name] = value
            elif kind == OUTPUT:
                _rate(found, name, value, account)
            elif kind == ASSIGNMENT and name.lower() in NAMES:
                found[NAMES[name.lower()]] = value
            elif kind in KNOWN:
                _verbs.set_aside({column: value}, account, OF_CONTROL)
            elif kind == ASSIGNMENT:
                _verbs.set_aside({column: value}, account, OF_WORK)
            else:
                found[column] = value
        yield Record(line, found)


def _rate(found: dict[str, Any], name: str, value: Any, account: Account) -> None:
    if (rating := answer(value)) is not None:
        found[f"rating:{name.replace(':', ' ')}"] = rating
    elif filled(value):
        account.set_aside(f"{OUTPUT}{name}", words=IN_WORDS)


PRESET = Preset(
    title="Toloka",
    help=__doc__ or "",
    recognises=some(INPUT, OUTPUT, ASSIGNMENT),
    unfold=_unfold,
)
