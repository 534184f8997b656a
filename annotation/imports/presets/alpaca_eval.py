"""AlpacaEval's annotations.json: instruction, two outputs, and a preference.

Each output is a text of its generator, with the instruction as its prompt. Preferences
are of an annotator, mostly a model: 1 for the first output, 2 for the second, and what
lies between. (github.com/tatsu-lab/alpaca_eval)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets import _pairs
from annotation.imports.presets._pairs import Pair, Side
from annotation.imports.presets._preset import Preset, Records, has

COLUMNS = ("instruction", "output_1", "output_2", "generator_1", "generator_2")


def _pair(record: Record) -> Pair:
    cells = record.cells
    instruction = cells.get("instruction")
    return Pair(
        name=hashlib.sha256(str(instruction).encode()).hexdigest()[:16],
        prompt=instruction,
        first=Side(str(cells.get("generator_1")), cells.get("output_1")),
        second=Side(str(cells.get("generator_2")), cells.get("output_2")),
        choice=cells.get("preference"),
        rater=str(cells.get("annotator") or ""),
        question="",
        cells={n: v for n, v in cells.items() if n not in COLUMNS},
    )


def _unfold(records: Records, account: Account) -> Records:
    return _pairs.texts(records, _pair, account)


def _votes(records: Iterator[Record]) -> Iterator[dict[str, Any]]:
    return _pairs.votes(records, _pair)


PRESET = Preset(
    title="AlpacaEval",
    help=__doc__ or "",
    recognises=has(*COLUMNS),
    unfold=_unfold,
    mapping={"system": "system", "prompt": "prompt", "text": "text"},
    votes=_votes,
    note=_pairs.NOT_TAKEN,
)
