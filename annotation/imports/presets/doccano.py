"""doccano's JSON lines: of one annotator, or a zip file with one file for each.

A text with a list of labels. One label is the answer of whom the file is called after;
several labels at once are no rating, nor are marks in the text and texts as labels.
doccano names no question: the ratings are called "label".
(github.com/doccano/doccano, backend/data_export)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports.files import Record, Table
from annotation.imports.files.packed import NAME
from annotation.imports.presets._answers import IN_WORDS, SEVERAL, answer
from annotation.imports.presets._preset import Preset, Records

TEXTS = ("text", "data")
LABELS = ("label", "labels", "cats", "annotations")
ALL = ("all", "unknown")  # files that no annotator is called after
MARKS = "it marks a part of the text"
RATING = "rating:label"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    """An ID, a text, and a list of labels in each record."""
    names = set(table.columns)
    column = _labels(names)
    if not (column and names.intersection(TEXTS) and "id" in names):
        return False
    values = [record.cells.get(column) for record in first]
    are_lists = all(value is None or isinstance(value, list) for value in values)
    if column == "annotations":
        return are_lists and _of_old(values)
    return are_lists and any(value is not None for value in values)


def _labels(names: set[str]) -> str:
    return next((one for one in LABELS if one in names), "")


def _of_old(values: list[Any]) -> bool:
    """Version 1: [{"label": 2, "user": 1}]"""
    one = next((value[0] for value in values if isinstance(value, list) and value), 0)
    return isinstance(one, dict) and {"label", "user"} <= set(one)


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        column = _labels(set(cells))
        rater = _rater(cells.get(NAME))
        found = {
            "text" if name in TEXTS else name: value
            for name, value in cells.items()
            if name != column
        }
        if rater:
            found["rater"] = rater
        yield Record(line, {**found, **_ratings(column, cells.get(column), account)})


def _rater(file: Any) -> str:
    name = PurePosixPath(str(file or "")).stem
    return "" if name.lower() in ALL else name


def _ratings(column: str, value: Any, account: Account) -> dict[str, Any]:
    given = value if isinstance(value, list) else []
    if given and all(isinstance(one, dict) for one in given):
        return _of_users(column, given, account)
    if not filled(given):
        return {}
    if any(isinstance(one, list | dict) for one in given):
        account.set_aside(column, words=MARKS)
    elif len(given) > 1:
        account.set_aside(column, words=SEVERAL)
    elif (rating := answer(given[0])) is None:
        account.set_aside(column, words=IN_WORDS)
    else:
        return {RATING: rating}
    return {}


def _of_users(
    column: str, given: list[dict[str, Any]], account: Account
) -> dict[str, Any]:
    by_user: dict[str, list[dict[str, Any]]] = {}
    for one in given:
        by_user.setdefault(str(one.get("user")), []).append(one)
    found = {}
    for user, some in by_user.items():
        rating = answer(some[0].get("label")) if len(some) == 1 else None
        if "start_offset" in some[0] or rating is None:
            marks = "start_offset" in some[0]
            account.set_aside(f"{column} ({user})", words=MARKS if marks else SEVERAL)
        else:
            found[f"{RATING}:annotator {user}"] = rating
    return found


PRESET = Preset(
    title="doccano",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
