"""ESA ratings as WMT24 and later publish them: a JSON object in each line.

With system, doc_id, line_id, annotator, src, tgt, esa_score and esa_spans; a span has
start_i, end_i and severity. "missing" in place of offsets says that something is
missing in the text, but not where.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from scoring.stats.spans.files.places import offsets
from scoring.stats.spans.files.segments import (
    Read,
    Reading,
    Refusal,
    Refused,
    Segment,
    placed,
)
from scoring.stats.spans.marks import Mark

MISSING = "missing"
NEEDED = ("system", "tgt", "esa_spans")


def read(lines: Iterable[str]) -> Read:
    """Read a file line by line; what is missing is a point at the end of the text."""
    segments, refusals = [], []
    for number, line in enumerate(lines, start=1):
        row = _row(line)
        if row is None:
            refusals.append(Refusal(number, "shape", line))
            continue
        marks, refused = placed(row["esa_spans"], partial(_mark, row["tgt"]), number)
        refusals += refused
        names = ("system", "doc_id", "line_id", "annotator", "src", "tgt")
        of = Reading(*(str(row.get(name, "")) for name in names))
        segments.append(Segment(of, marks, _score(row)))
    return Read(segments, refusals)


def _row(line: str) -> Mapping[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(row, dict) and all(name in row for name in NEEDED)
    return row if whole and isinstance(row["esa_spans"], list) else None


def _mark(text: str, span: Any) -> Mark:
    if not isinstance(span, dict):
        raise Refused("shape", str(span))
    start, end = span.get("start_i"), span.get("end_i")
    severity = str(span.get("severity") or "")
    if MISSING in (start, end):
        return Mark(len(text), len(text), MISSING, severity)
    return Mark(*offsets(text, start, end), "", severity)


def _score(row: Mapping[str, Any]) -> float | None:
    score = row.get("esa_score")
    return float(score) if isinstance(score, int | float) else None
