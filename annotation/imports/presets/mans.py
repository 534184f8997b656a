"""MANS of OpenMEVA (Guan et al. 2021): mans_roc.json, mans_wp.json.

An object with a key for each story; each has a beginning, a reference, and the texts of
five systems with five ratings from 1 to 5. The ratings are sorted within a text: who
gave which is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record, Table
from annotation.imports.files.document import NAME
from annotation.imports.presets._preset import Preset, Records

START, TEXT, SCORE = "gen.", ".text", ".score"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = table.columns
    return {"prompt", "gold_response", NAME} <= set(names) and any(
        name.startswith(START) and name.endswith(SCORE) for name in names
    )


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        systems = [
            name.removeprefix(START).removesuffix(TEXT)
            for name in cells
            if name.startswith(START) and name.endswith(TEXT)
        ]
        for system in systems:
            yield Record(line, _cells(cells, system))


def _cells(cells: dict[str, Any], system: str) -> dict[str, Any]:
    before = f"{START}{system}."
    return {
        "id": f"{cells.get(NAME)}-{system}",
        "prompt": cells.get("prompt"),
        "system": system,
        "text": cells.get(f"{START}{system}{TEXT}"),
        "gold_response": cells.get("gold_response"),
        "score": cells.get(f"{START}{system}{SCORE}"),
        **{
            name.removeprefix(before): cell
            for name, cell in cells.items()
            if name.startswith(before) and not name.endswith((TEXT, SCORE))
        },
    }


PRESET = Preset(
    title="MANS (OpenMEVA)",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    takes=(NAME, "prompt", "gold_response", START),
    mapping={
        "id": "key",
        "prompt": "prefix",
        "system": "system",
        "text": "text",
        "gold_response": "reference",
        "score": "rating:overall",
    },
    scale="1-5",
)
