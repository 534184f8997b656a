"""A table in which answers are written into one cell: {"coherence": 4, "fluency": 2}.

Each field of such an object is a column of its own, called after both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from annotation.imports._account import Account
from annotation.imports._profile import FIRST
from annotation.imports.files import Record, Table, beginning
from annotation.imports.presets import _written
from annotation.imports.presets._preset import Preset, Records


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return bool(_written.columns_of_objects(first))


def _unfold(records: Records, account: Account) -> Records:
    first = beginning(records, FIRST)
    columns = _written.columns_of_objects(first)
    for line, cells in chain(first, records):
        yield Record(line, _written.unpacked(cells, columns))


PRESET = Preset(
    title="Objects written into cells",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
