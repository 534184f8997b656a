"""MQM ratings of WMT (Freitag et al. 2021): mqm_newstest2020_ende.tsv and others.

One row for each error that a rater has marked. A rater's penalty for a segment is the
sum of its errors: 25 for a non-translation, 5 for a major error, 0.1 for minor
punctuation, 1 for any other minor error, 25 at most. The mean over raters counts; the
lower, the better. A text is known by its document, segment and system.
(github.com/google/wmt-mqm-human-evaluation)
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has
from annotation.imports.presets._segments import Samples, key_of

WORST = 25.0
IDS = ("seg_id", "globalSegId", "docSegId", "segment_id")  # by year
OF_SEGMENT = ("system", "doc", "doc_id", *IDS)
MARKS = ("<v>", "</v>")  # around the error


def _unfold(records: Records, account: Account) -> Records:
    """Errors of a segment may stand anywhere in the file; its text is kept once."""
    first: dict[tuple[str, ...], Record] = {}
    penalties: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for record in records:
        cells = record.cells
        key = tuple(str(cells.get(name) or "") for name in OF_SEGMENT)
        first.setdefault(key, record)
        rater = str(cells.get("rater") or "")
        so_far = penalties[key].get(rater, 0.0)
        penalties[key][rater] = min(WORST, so_far + _weight(cells))
    samples = Samples()
    for key, record in first.items():
        yield Record(record.line, _cells(record.cells, penalties[key], samples))


def _cells(
    cells: dict[str, Any], of_raters: dict[str, float], samples: Samples
) -> dict[str, Any]:
    system, source = cells.get("system"), _plain(cells.get("source"))
    segment = next((cells[name] for name in IDS if cells.get(name)), None)
    return {
        "key": key_of(cells.get("doc"), segment, system),
        "system": system,
        "source": source,
        "target": _plain(cells.get("target")),
        "sample": samples.number(system, source),
        "MQM penalty": round(sum(of_raters.values()) / len(of_raters), 4),
        "raters": len(of_raters),
    }


def _weight(cells: dict[str, Any]) -> float:
    severity = str(cells.get("severity") or "").lower()
    category = str(cells.get("category") or "").lower()
    if category.startswith("non-translation"):
        return WORST
    if severity.startswith(("major", "critical")):
        return 5.0
    if severity.startswith("minor"):
        return 0.1 if category.startswith("fluency/punctuation") else 1.0
    return 0.0


def _plain(value: Any) -> str:
    text = str(value or "")
    for mark in MARKS:
        text = text.replace(mark, "")
    return text


PRESET = Preset(
    title="WMT, MQM errors",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has("system", "rater", "source", "target", "severity")(table, first)
        and any(name in table.columns for name in IDS)
    ),
    unfold=_unfold,
    takes=(*OF_SEGMENT, "rater", "source", "target", "category", "severity"),
    mapping={
        "key": "key",
        "sample": "sample",
        "system": "system",
        "source": "source",
        "target": "text",
        "MQM penalty": "mean:MQM penalty",
        "raters": "n",
    },
    scale="0-25",
    lower_is_better=("MQM penalty",),
)
