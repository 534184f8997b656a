"""Potato's annotated_instances.jsonl: of one annotator, or a zip file of all folders.

Scales become ratings of the annotator in whose folder the file is, or whom it names as
`user_id`. A text stands in the files of all who rated it: their ratings are put
together. Answers that were not chosen, and several of one question, are no ratings.
(github.com/davidjurgens/potato)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports.files import Record, Table
from annotation.imports.files.packed import FOLDER
from annotation.imports.presets._answers import rating_of
from annotation.imports.presets._preset import Preset, Records

LABELS = "label_annotations."
IDS, USERS = ("id", "instance_id"), ("user_id", "user", "annotator", FOLDER)
TEXTS = ("displayed_text", "text")


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = set(table.columns)
    return (
        bool(names.intersection(IDS))
        and "displayed_text" in names
        and any(name.startswith(LABELS) for name in names)
    )


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        ratings: dict[str, Any] = {}
        for question, options in _answers(cells).items():
            if (rating := rating_of(question, options, account)) is not None:
                ratings[f"rating:{question}"] = rating
        told = {
            "id": _first(cells, IDS),
            "displayed_text": _first(cells, TEXTS),
            "annotator": _first(cells, USERS) or "",
        }
        yield Record(line, {**told, **ratings})


def _answers(cells: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Options by question; the names of options may hold full stops."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in cells.items():
        if name.startswith(LABELS):
            question, _, option = name.removeprefix(LABELS).partition(".")
            found.setdefault(question, {})[option] = value
    return found


def _first(cells: dict[str, Any], names: Sequence[str]) -> Any:
    return next((cells[name] for name in names if filled(cells.get(name))), None)


PRESET = Preset(
    title="Potato",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    takes=(*IDS, *USERS, *TEXTS, LABELS),
)
