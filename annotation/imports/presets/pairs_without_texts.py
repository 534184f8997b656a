"""Choices between two systems without their texts, as MT-Bench and arenas list them.

Columns question_id, model_a, model_b, winner, judge, turn. There is nothing to rate:
they are votes of a study that has the texts. (github.com/lm-sys/FastChat)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._names import is_of_texts
from annotation.imports.files import Record
from annotation.imports.presets import _pairs
from annotation.imports.presets._pairs import Pair, Side
from annotation.imports.presets._preset import Preset, has

TEXTS = ("response", "answer", "conversation", "text", "output", "completion")
NO_TEXTS = (
    "This file has choices between two systems, without texts. Make a study of the"
    " texts first, then add this file to it as votes, with its button “Add data”."
)


def _pair(record: Record) -> Pair:
    cells = record.cells
    turn = cells.get("turn")
    return Pair(
        name=str(cells.get("question_id") or cells.get("id") or record.line)[:64],
        prompt=None,
        first=Side(str(cells.get("model_a")), None),
        second=Side(str(cells.get("model_b")), None),
        choice=cells.get("winner"),
        rater=str(cells.get("judge") or ""),
        question=f"turn {turn}" if turn not in (None, "") else "",
        cells=cells,
    )


def _votes(records: Iterator[Record]) -> Iterator[dict[str, Any]]:
    return _pairs.votes(records, _pair)


PRESET = Preset(
    title="Choices between two systems, without texts",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has("model_a", "model_b", "winner")(table, first)
        and not any(
            name.lower().startswith(TEXTS) or is_of_texts(name)
            for name in table.columns
        )
    ),
    votes=_votes,
    note=NO_TEXTS,
)
