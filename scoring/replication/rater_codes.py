"""Codes in place of the names of raters that came in files, for what is published.

Who rated here has a pseudonym anyway. A file may name people, or carry their platform
ids, and the owner of a study may see those, but readers of its bundle may not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.stats.data import NONE, Data

# Tables that name them.
RATERS = ("ratings", "unsaid", "negative_ratings", "votes", "error_marks")


def codes(data: Data, pseudonyms: Collection[str]) -> dict[str, str]:
    """By name; empty where no name came in a file.

    `pseudonyms` are those of the study's own workers.

    All raters get one, in the order of their names: where a statistic takes raters in
    turn, its numbers stay the same to the last digit.
    """
    from_files = data.ratings.rater[data.ratings.page == NONE]
    named = set(from_files.tolist()) | set(data.votes.rater.tolist())
    named -= set(pseudonyms)
    if not named - {""}:
        return {}
    return of_all(data, pseudonyms)


def of_all(data: Data, pseudonyms: Collection[str] = ()) -> dict[str, str]:
    """The same, also where no name came in a file."""
    told = {name for table in RATERS for name in getattr(data, table).rater.tolist()}
    names = sorted((told | set(pseudonyms)) - {""})
    width = len(str(len(names)))
    return {name: f"r{rank:0{width}}" for rank, name in enumerate(names, start=1)}


def coded(data: Data, codes: dict[str, str]) -> Data:
    """The same data with codes in place of names."""
    if not codes:
        return data
    tables = {name: _coded(getattr(data, name), codes) for name in RATERS}
    return replace(data, **tables)


def coded_rows(
    rows: Iterator[dict[str, Any]], codes: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Rows of an export with codes in place of names."""
    for row in rows:
        rater = row.get("rater", "")
        yield {**row, "rater": codes.get(rater, rater)} if rater else row


def _coded(table: Any, codes: dict[str, str]) -> Any:
    named = [codes.get(name, name) for name in table.rater.tolist()]
    return replace(table, rater=np.array(named, np.str_))
