"""Direct assessments of WMT: a table with the columns src, mt, ref and raw or score.

The score from 0 to 100 is a mean rating of quality. Standardised scores (z) are
ignored: their scale has no ends. Segments repeat: the same words of a system, or of
systems that are not named, stay as many texts as there are rows.
(huggingface.co/datasets/RicardoRei/wmt-da-human-evaluation)
"""

from __future__ import annotations

from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has
from annotation.imports.presets._segments import Samples, key_of

DOCUMENTS = ("doc", "doc_id", "document_id", "document")
SEGMENTS = ("seg_id", "segment_id", "sid", "segid")
SYSTEMS = ("system", "sys", "system_id")


def _unfold(records: Records, account: Account) -> Records:
    samples = Samples()
    for line, cells in records:
        system, segment = _first(cells, SYSTEMS), _first(cells, SEGMENTS)
        number = samples.number(system, cells.get("src"))
        more: dict[str, Any] = {"sample": number}
        if segment is not None:
            more["key"] = key_of(_first(cells, DOCUMENTS), segment, system)
            for name in (*DOCUMENTS, *SEGMENTS):
                cells.pop(name, None)
        yield Record(line, {**cells, **more})


def _first(cells: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((cells[name] for name in names if cells.get(name) is not None), None)


PRESET = Preset(
    title="WMT, direct assessments",
    help=__doc__ or "",
    recognises=has("src", "mt", "raw"),
    unfold=_unfold,
    mapping={
        "key": "key",
        "sample": "sample",
        "src": "source",
        "mt": "text",
        "ref": "reference",
        "system": "system",
        "sys": "system",
        "raw": "mean:quality",
        "annotators": "n",
    },
    scale="0-100",
)
