"""What Potato 2 keeps of each annotator: user_state.json, and its export. Pure.

Answers stand by the ID of the instance, as pairs of {"schema", "name"} and a value, or
as an object of schemas; the texts stand in another file. The export has a line for each
annotator and instance, with "labels".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.imports.files import Record, Table
from annotation.imports.files.document import NAME

LABELS = "instance_id_to_label_to_value"
USER, INSTANCE = "user_id", "instance_id"
EXPORTED = "labels."
TEXTS = ("text", "displayed_text")


def is_state(record: Record) -> bool:
    cells = record.cells
    if {USER, INSTANCE} <= set(cells) and not cells.keys() & set(TEXTS):
        return any(name.startswith(EXPORTED) for name in cells)
    return any(name.split(".")[0] == LABELS for name in cells)


def has_states(table: Table, first: Sequence[Record]) -> bool:
    return any(map(is_state, first))


def answers(cells: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """ID of an instance, question, and its options with their values."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    if INSTANCE in cells:
        for column, value in cells.items():
            if column.startswith(EXPORTED):
                question, _, option = column.removeprefix(EXPORTED).partition(".")
                of = str(cells[INSTANCE]), question
                found.setdefault(of, {})[option or question] = value
    for column, value in cells.items():
        begin, _, instance = column.partition(".")
        if begin != LABELS:
            continue
        if not instance:  # a record for each instance, as a list of records has them
            instance = str(cells.get(NAME, ""))
        for one, question, option, said in _said(instance, value):
            found.setdefault((one, question), {})[option] = said
    for (one, question), options in found.items():
        yield one, question, options


def _said(instance: str, value: Any) -> Iterator[tuple[str, str, str, Any]]:
    if isinstance(value, list):
        for pair in value:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
                label, said = pair
                yield instance, str(label.get("schema")), str(label.get("name")), said
    elif isinstance(value, dict):  # its levels above are in the column's name
        one, _, question = instance.rpartition(".")
        for option, said in value.items() if one else ():
            yield one, question, str(option), said
