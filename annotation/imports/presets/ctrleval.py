"""CTRLEval (Ke et al. 2022), as released: data_senti.txt, data_topic.txt.

Six columns separated by tabs, without names: label, beginning, text, and the means of
five ratings of coherence, consistency and attribute relevance.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imports import ctrleval
from annotation.imports._account import Account
from annotation.imports._cells import number
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records

BY_ORDER = "system (by row order)"
COUNT = "number of ratings"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    if table.headed or len(table.columns) != len(ctrleval.COLUMNS):
        return False
    cells = list(first[0].cells.values())
    return all(number(cell) is not None for cell in cells[3:]) and all(
        number(cell) is None for cell in cells[:3]
    )


def _unfold(records: Records, account: Account) -> Records:
    for position, (line, cells) in enumerate(records):
        named = dict(zip(ctrleval.COLUMNS, cells.values(), strict=True))
        system = f"system {position % ctrleval.N_SYSTEMS + 1} (inferred from row order)"
        more = {COUNT: ctrleval.N_RATINGS, BY_ORDER: system}
        yield Record(line, {**named, **more})


PRESET = Preset(
    title="CTRLEval",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    mapping={
        "label": "label",
        "prefix": "prefix",
        "text": "text",
        COUNT: "n",
        **{aspect: f"mean:{aspect}" for aspect in ctrleval.ASPECTS},
    },
    scale="1-5",
    verbalizers=ctrleval.VERBALIZERS,
    note="The file names no systems, but lists the texts of four in turn. To compare"
    f" systems, choose “System” for the column “{BY_ORDER}”.",
)
