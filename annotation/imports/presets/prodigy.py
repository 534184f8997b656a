"""Prodigy: a JSON object for each answer, as db-out writes them.

What was chosen stands in "accept", by the ids of "options"; a number that was asked for
stands under its own name. "answer" says whether the task was accepted, rejected or
ignored: whether the last two count is asked. Where a label alone was accepted or
rejected, that is the rating of it. Who answered is _annotator_id, else _session_id.
(prodi.gy/docs, api-interfaces)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account
from annotation.imports._cells import number
from annotation.imports.files import Record, Table
from annotation.imports.presets._answers import SEVERAL, answer
from annotation.imports.presets._preset import Preset, Records

HASHES = ("_input_hash", "_task_hash")
WHO = ("_annotator_id", "_session_id")
OF_WORK = "it is about the work in Prodigy, not about the text"
DECIDED = "status"  # what "answer" is called, so that nobody takes it for a text
META = "meta."


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return {*HASHES, "answer"} <= set(table.columns)


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        who = next((cells[name] for name in WHO if cells.get(name)), None)
        found: dict[str, Any] = {"rater": who} if who else {}
        of_label = _of_label(cells)
        for column, value in cells.items():
            if column == "answer":
                found[f"rating:{of_label}" if of_label else DECIDED] = value
            elif column == "label" and of_label:
                continue
            elif column == "accept":
                _choose(found, value, cells.get("options"), account)
            elif column.startswith("_") or column == "options":
                _verbs.set_aside({column: value}, account, OF_WORK)
            else:
                found[column.removeprefix(META)] = value
        yield Record(line, found)


def _of_label(cells: _verbs.Cells) -> str:
    """What was said to be right or wrong of the text; empty: another kind of task."""
    label = cells.get("label")
    if isinstance(label, str) and "options" not in cells and "accept" not in cells:
        return " ".join(label.replace(":", " ").split())
    return ""


def _choose(found: dict[str, Any], ids: Any, options: Any, account: Account) -> None:
    """The one option that was chosen: its number, or what it is called."""
    if not isinstance(ids, list) or not ids:
        return
    if len(ids) > 1:
        account.set_aside("accept", len(ids), SEVERAL)
        return
    some = options if isinstance(options, list) else []
    words = [
        o.get("text") for o in some if isinstance(o, dict) and o.get("id") == ids[0]
    ]
    named = words[0] if words and number(ids[0]) is None else ids[0]
    if (rating := answer(named)) is not None:
        found["rating:rating"] = rating


PRESET = Preset(
    title="Prodigy",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
