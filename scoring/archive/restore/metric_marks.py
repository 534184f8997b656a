"""Errors that metrics marked, in a data set and back in a study."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scoring.archive.parquet import Mismatch
from scoring.archive.restore.folder import Folder
from scoring.archive.restore.texts import Known
from scoring.models import MetricReading
from scoring.stats.spans.marks import SIDES

LONGEST = 1_000_000  # characters of the marks of one text
HIGHEST = 2**31 - 1
TABLE = "metric_marks"


def restore(*, folder: Folder, known: Known) -> None:
    for batch in folder.batches(TABLE):
        MetricReading.objects.bulk_create(
            MetricReading(
                generation_id=known.text(TABLE, row["text"]),
                metric=row["metric"][:100],
                marks=_list(row["marks"], _is_mark),
                unplaced=_list(row["unplaced"] or "[]", _is_unplaced),
            )
            for row in batch
        )


def _list(text: str, is_one: Callable[[Any], bool]) -> list[Any]:
    try:
        marks = json.loads(text) if len(text) <= LONGEST else None
    except (ValueError, RecursionError):
        marks = None
    if not isinstance(marks, list) or not all(map(is_one, marks)):
        raise Mismatch(f"{TABLE}: marks are not as they should be.")
    return marks


def _is_unplaced(error: Any) -> bool:
    is_pair = isinstance(error, list) and len(error) == 2
    return is_pair and all(isinstance(word, str) for word in error)


def _is_mark(mark: Any) -> bool:
    if not isinstance(mark, list) or len(mark) != 6:
        return False
    start, end, *words = mark
    numbers = type(start) is int and type(end) is int
    if not numbers or not all(isinstance(word, str) for word in words):
        return False
    return 0 <= start <= end <= HIGHEST and words[2] in SIDES
