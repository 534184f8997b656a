"""One JSON object in each line. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.imports._json import JSONError, loads
from annotation.imports._problems import shown
from annotation.imports._source import Source
from annotation.imports.files._table import Table, of_objects


def table(source: Source) -> Table:
    return of_objects("jsonl", "line", _objects(source), source)


def _objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            value = loads(text)
        except JSONError as error:
            source.problems.add(
                f"is not valid JSON ({_short(error)}): correct it, or leave it out",
                line,
            )
            continue
        if isinstance(value, dict):
            yield line, value
        else:
            told = shown(json.dumps(value))
            source.problems.add(
                f"must be one object in curly brackets, not {told}", line
            )


def _short(error: JSONError) -> str:
    return str(error).replace("something follows after the end", "extra text follows")
