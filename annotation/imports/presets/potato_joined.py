"""Potato 2: a zip file of user_state.json files with the file of instances beside them.

The answers stand by the ID of the instance: each goes to the text that has this ID, as
a rating of the annotator whose state it is. (github.com/davidjurgens/potato,
examples/advanced/dataset-publishing)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import set_aside
from annotation.imports.files import PART, Record, Table
from annotation.imports.files.document import NAME as KEY
from annotation.imports.files.packed import FOLDER, NAME
from annotation.imports.presets._answers import rating_of
from annotation.imports.presets._potato_states import (
    EXPORTED,
    INSTANCE,
    LABELS,
    USER,
    answers,
    is_state,
)
from annotation.imports.presets._preset import Preset, Records

NO_TEXT = "no text in the file has this ID"
NOT_ANSWERS = "it is about the annotator's session, not about texts"
Ratings = dict[str, dict[str, Any]]  # by ID


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    """States, and something else that has texts with IDs."""
    ids = {one for r in first if is_state(r) for one, _, _ in answers(r.cells)}
    return any(not is_state(r) and _id(r.cells, ids) for r in first)


def _unfold(records: Records, account: Account) -> Records:
    """All of it is held: a text may stand before or after who rated it."""
    ratings: Ratings = defaultdict(dict)
    texts: list[Record] = []
    for record in records:
        if is_state(record):
            _read(record.cells, ratings, account)
        else:
            texts.append(record)
    for line, cells in texts:
        found = ratings.pop(_id(cells, ratings), {})
        yield Record(line, {**cells, **found})
    for left in ratings.values():
        set_aside(left, account, NO_TEXT)


def _read(cells: dict[str, Any], ratings: Ratings, account: Account) -> None:
    user = str(cells.get(USER) or cells.get(FOLDER) or "annotator")
    for instance, question, options in answers(cells):
        if (rating := rating_of(question, options, account)) is not None:
            ratings[instance][f"rating:{question}:{user}"] = rating
    for name, value in cells.items():
        own = name in (USER, INSTANCE, FOLDER, NAME, PART, KEY)
        if filled(value) and not own and not name.startswith((LABELS, EXPORTED)):
            account.set_aside(name, words=NOT_ANSWERS)


def _id(cells: dict[str, Any], ids: Any) -> str:
    """What stands in its first cell that is one of these IDs."""
    for name, value in cells.items():
        if name not in (FOLDER, NAME, PART) and str(value) in ids:
            return str(value)
    return ""


PRESET = Preset(
    title="Potato 2, with texts",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
