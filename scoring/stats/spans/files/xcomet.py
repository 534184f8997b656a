"""Errors that xCOMET finds, as `comet-score --to_json` writes them.

An object with a list for each file of translations, or one such list. An entry has mt,
src and errors, and an error has text, start, end and severity. Its offsets come from
subwords, so the quoted text decides and the offsets only say which one is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from scoring.stats.spans.files.places import quoted
from scoring.stats.spans.files.segments import (
    Read,
    Reading,
    Refusal,
    Refused,
    Segment,
    placed,
)
from scoring.stats.spans.marks import Mark

ERRORS = ("errors", "error_spans")  # by version


def read(parsed: Any, *, metric: str = "xCOMET") -> Read:
    """Read the parsed JSON of one run.

    Args:
        parsed: What `json.loads` gives.
        metric: What the segments have as their rater.

    Raises:
        ValueError: If it is no list, and no object of lists.
    """
    files = {"": parsed} if isinstance(parsed, list) else parsed
    if not isinstance(files, dict) or not all(
        isinstance(entries, list) for entries in files.values()
    ):
        raise ValueError("expected a list of translations, or one for each file")
    entries = (
        (str(name), str(place), entry)
        for name, of_file in files.items()
        for place, entry in enumerate(of_file, start=1)
    )
    segments, refusals = [], []
    for number, (name, place, entry) in enumerate(entries, start=1):
        errors = _errors(entry)
        if errors is None:
            refusals.append(Refusal(number, "shape", str(entry)))
            continue
        marks, refused = placed(errors, partial(_mark, entry["mt"]), number)
        refusals += refused
        source = str(entry.get("src", ""))
        of = Reading(name, "", place, metric, source, entry["mt"])
        segments.append(Segment(of, marks, _score(entry)))
    return Read(segments, refusals)


def _errors(entry: Any) -> list[Any] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("mt"), str):
        return None
    errors = next((entry[name] for name in ERRORS if name in entry), None)
    return errors if isinstance(errors, list) else None


def _mark(text: str, error: Any) -> Mark:
    if not isinstance(error, dict) or not isinstance(error.get("text"), str):
        raise Refused("shape", str(error))
    near = error.get("start")
    place = quoted(text, error["text"], near if type(near) is int else None)
    return Mark(*place, severity=str(error.get("severity") or ""))


def _score(entry: Mapping[str, Any]) -> float | None:
    score = entry.get("COMET")
    return float(score) if isinstance(score, int | float) else None
