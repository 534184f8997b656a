"""Potato's annotated_instances.jsonl: of one annotator, or a zip file of all folders.

Scales become ratings of the annotator in whose folder the file is. A text stands in
the files of all who rated it: their ratings are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._cells import whole
from annotation.imports.files import SKIPPED, Record, Table
from annotation.imports.files.packed import FOLDER
from annotation.imports.presets._preset import Preset, Records

LABELS = "label_annotations."
SCALE = "scale_"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return {"id", "displayed_text"} <= set(table.columns) and any(
        name.startswith(LABELS) for name in table.columns
    )


def _unfold(records: Records) -> Records:
    for line, cells in records:
        found: dict[str, Any] = {
            "id": cells.get("id"),
            "displayed_text": cells.get("displayed_text"),
            "annotator": cells.get(FOLDER, ""),
        }
        for name, value in cells.items():
            if name.startswith(LABELS):
                schema, _, answer = name.removeprefix(LABELS).partition(".")
                rating = _rating(answer, value)
                role = f"rating:{schema}"
                if rating is None or role in found:
                    found[f"{SKIPPED}{schema}: {answer}"] = value
                else:
                    found[role] = rating
        yield Record(line, found)


def _rating(answer: str, value: Any) -> int | None:
    """{"scale_4": "4"}, {"4": "true"} or {"scale_4": "true"}."""
    if str(value).lower() == "false":  # not this one
        return None
    of_value = whole(value)
    return of_value if of_value is not None else whole(answer.removeprefix(SCALE))


PRESET = Preset(
    title="Potato",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    takes=("id", "displayed_text", LABELS, FOLDER),
)
