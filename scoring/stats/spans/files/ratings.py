"""Ratings as mt-metrics-eval keeps them: a line for each segment, errors as JSON.

`system <tab> {"errors": [...]}` or `system <tab> None`, the segments of a system in the
order of its texts, which are files of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from scoring.stats.spans.marks import Mark, Side


def read(
    lines: Iterable[str],
    texts: Mapping[str, Sequence[str]],
    sources: Sequence[str],
    *,
    rater: str,
) -> Read:
    """Read the file of one rater; segments that were not rated are left out.

    Args:
        lines: Of the file.
        texts: Those of each system, in their order.
        sources: Of the same segments.
        rater: Whose file it is.
    """
    at: Counter[str] = Counter()
    segments, refusals = [], []
    for number, line in enumerate(lines, start=1):
        system, _, rating = line.rstrip("\r\n").partition("\t")
        place, at[system] = at[system], at[system] + 1
        if rating.strip() == "None":
            continue
        try:
            text, source = texts[system][place], sources[place]
            errors = json.loads(rating.split("\t")[0])["errors"]
        except (LookupError, TypeError, ValueError):
            refusals.append(Refusal(number, "shape", line))
            continue
        marks, refused = placed(errors, partial(_mark, text, source), number)
        refusals += refused
        of = Reading(system, "", str(place + 1), rater, source, text)
        segments.append(Segment(of, marks))
    return Read(segments, refusals)


def _mark(text: str, source: str, error: Any) -> Mark:
    if not isinstance(error, dict):
        raise Refused("shape", str(error))
    side: Side = "source" if error.get("is_source_error") else "text"
    where = source if side == "source" else text
    start, end = offsets(where, error.get("start"), error.get("end"))
    category, severity = (str(error.get(n) or "") for n in ("category", "severity"))
    return Mark(start, end, category, severity, side)
