"""Segments of documents: a column for the document, and one for its segment.

Short lines stand in many documents. A text is known by its document, segment and
system, not by its words: the same words in another place are another text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._names import USUAL, words_of
from annotation.imports._profile import FIRST
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records
from annotation.imports.presets._segments import Samples, key_of

DOCUMENTS = (
    *("doc", "doc id", "docid", "document", "document id", "documentid"),
    *("article id", "talk id"),
)
SEGMENTS = (
    *("seg", "seg id", "segid", "segment", "segment id", "segmentid", "sid"),
    *("sentence id", "sent id", "sentence number", "line id", "line number"),
)
BESIDE = (*USUAL["prompt"], *USUAL["source"], *USUAL["prefix"], *USUAL["label"])
LONGEST, MOST_WORDS = 64, 5  # characters and words of an ID


def _column(names: Collection[str], usual: Sequence[str]) -> str:
    named = {words_of(name): name for name in names}
    return next((named[usual_name] for usual_name in usual if usual_name in named), "")


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = dict.fromkeys(name for record in first for name in record.cells)
    pair = _column(names, DOCUMENTS), _column(names, SEGMENTS)
    has_text = bool(_column(names, USUAL["text"]))
    return has_text and all(pair) and all(_is_of_ids(name, first) for name in pair)


def _is_of_ids(name: str, first: Sequence[Record]) -> bool:
    """A document may be the source itself, and a segment the text."""
    cells = [str(cell) for r in first[:FIRST] if filled(cell := r.cells.get(name))]
    short = [len(id_) <= LONGEST and len(id_.split()) <= MOST_WORDS for id_ in cells]
    return bool(short) and all(short)


def _unfold(records: Records, account: Account) -> Records:
    samples, numbers = Samples(), dict[str, int]()
    for line, cells in records:
        document, segment = _column(cells, DOCUMENTS), _column(cells, SEGMENTS)
        if not document or not segment or not filled(cells[segment]):
            yield Record(line, cells)
            continue
        system = cells.get(_column(cells, USUAL["system"]))
        key = key_of(cells[document], cells[segment], system)
        if key not in numbers:
            numbers[key] = samples.number(system, _beside(cells, (document, segment)))
        rest = {n: cell for n, cell in cells.items() if n not in (document, segment)}
        yield Record(line, {**_named(rest), "key": key, "sample": numbers[key]})


def _beside(cells: Mapping[str, Any], ids: Collection[str]) -> str:
    """What the system was given: texts of one prompt are numbered."""
    return repr([c for n, c in cells.items() if words_of(n) in BESIDE and n not in ids])


def _named(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Neither hides an ID or a number of the file."""
    return {f"row {n}" if n in ("key", "sample") else n: c for n, c in cells.items()}


PRESET = Preset(
    title="Segments of documents",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    is_general=True,
)
