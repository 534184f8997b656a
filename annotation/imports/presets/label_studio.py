"""Label Studio's JSON export, full or JSON-MIN.

Each task has its data and its annotations. Ratings, numbers and single choices that are
whole numbers become ratings, each of who completed the annotation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._cells import whole
from annotation.imports.files import EARLIER, SKIPPED, Record
from annotation.imports.presets._preset import Preset, Records, has

DATA, ALL = "data.", "annotations"


def _unfold(records: Records) -> Records:
    for line, cells in records:
        found = {
            name.removeprefix(DATA): value
            for name, value in cells.items()
            if name.startswith(DATA)
        }
        for name, value in cells.items():
            if name != ALL and not name.startswith(DATA):
                found[f"task {name}" if name in found else name] = value
        annotations = cells.get(ALL)
        for one in annotations if isinstance(annotations, list) else []:
            for name, value in _answers(one) if isinstance(one, dict) else ():
                if name in found:  # of two answers of one person the last counts
                    found[EARLIER + name] = found[name]
                found[name] = value
        yield Record(line, found)


def _answers(annotation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Ratings; and under a name that says nothing, what is none."""
    rater = _rater(annotation.get("completed_by"))
    results = annotation.get("result")
    for one in results if isinstance(results, list) else []:
        if not isinstance(one, dict):
            continue
        given = one.get("value")
        value = _value(given) if isinstance(given, dict) else None
        asked = one.get("from_name")
        if annotation.get("was_cancelled"):
            yield f"{SKIPPED}{asked} ({rater})", _words(given)
        elif value is None:
            yield f"{asked} ({rater})", _words(given)
        else:
            yield f"rating:{asked}:{rater}", value


def _words(given: Any) -> Any:
    """What stands in an answer: {"choices": ["Good"]} -> Good."""
    values = list(given.values()) if isinstance(given, dict) else [given]
    one = values[0] if len(values) == 1 else values
    return one[0] if isinstance(one, list) and len(one) == 1 else one


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
