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
    return of_rows(map(_parsed, lines))


def of_rows(rows: Iterable[Any]) -> Read:
    """The same of what its lines say."""
    segments, refusals = [], []
    for number, row in enumerate(rows, start=1):
        if not _is_whole(row):
            refusals.append(Refusal(number, "shape", str(row)))
            continue
        marks, refused = placed(row["esa_spans"], partial(_mark, row["tgt"]), number)
        refusals += refused
        names = ("system", "doc_id", "line_id", "annotator", "src", "tgt")
        of = Reading(*(str(row.get(name, "")) for name in names))
        segments.append(Segment(of, marks, _score(row)))
    return Read(segments, refusals)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _is_whole(row: Any) -> bool:
    whole = isinstance(row, dict) and all(name in row for name in NEEDED)
    return whole and isinstance(row["tgt"], str) and isinstance(row["esa_spans"], list)


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
