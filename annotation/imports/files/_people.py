"""Prolific's export, which says of each participant whether they count. Pure.

It lies beside the ratings in a zip file. Their ratings name the same participants.
"""

from __future__ import annotations

from collections.abc import Collection

from annotation.imports._account import Account, filled
from annotation.imports.files._table import Table

WHO, STATUS, SUBMISSION = "participant id", "status", "submission id"
ABOUT_PEOPLE = "it is about the participants, in the export of Prolific"


def is_export(columns: Collection[str]) -> bool:
    return {WHO, STATUS, SUBMISSION} <= {_plain(name) for name in columns}


def statuses(table: Table, account: Account) -> dict[str, str]:
    """By participant. Of somebody who came twice, what was said last."""
    found: dict[str, str] = {}
    for record in table.records:
        cells = {_plain(name): cell for name, cell in record.cells.items()}
        found[str(cells.get(WHO, "")).strip()] = str(cells.get(STATUS, "")).strip()
        for name, cell in record.cells.items():
            if filled(cell):
                account.set_aside(name, words=ABOUT_PEOPLE)
    return found


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).lower()
