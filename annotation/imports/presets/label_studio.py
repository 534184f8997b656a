"""Label Studio's JSON export, full or JSON-MIN.

Each task has its data and its annotations. Ratings, numbers and single choices that are
whole numbers become ratings, each of who completed the annotation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._cells import whole
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has

DATA = "data."


def _unfold(records: Records) -> Records:
    for line, cells in records:
        found = {
            name.removeprefix(DATA): value
            for name, value in cells.items()
            if name.startswith(DATA)
        }
        annotations = cells.get("annotations")
        for one in annotations if isinstance(annotations, list) else []:
            if isinstance(one, dict) and not one.get("was_cancelled"):
                found |= dict(_ratings(one))
        yield Record(line, found)


def _ratings(annotation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    rater = _rater(annotation.get("completed_by"))
    results = annotation.get("result")
    for one in results if isinstance(results, list) else []:
        if isinstance(one, dict) and isinstance(one.get("value"), dict):
            value = _value(one["value"])
            if value is not None:
                yield f"rating:{one.get('from_name')}:{rater}", value


def _rater(who: Any) -> str:
    if isinstance(who, dict):
        who = who.get("id") or who.get("email")
    return f"annotator {who}" if isinstance(who, int) else str(who or "annotator")


def _value(value: dict[str, Any]) -> int | None:
    choices = value.get("choices")
    if isinstance(choices, list) and len(choices) == 1:
        return whole(choices[0])
    return whole(value.get("rating", value.get("number")))


PRESET = Preset(
    title="Label Studio",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has("annotations")(table, first)
        and any(name.startswith(DATA) for name in table.columns)
    ),
    unfold=_unfold,
)
