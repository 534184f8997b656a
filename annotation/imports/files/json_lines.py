"""One JSON object in each line. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.imports._json import JSONError, Lenient
from annotation.imports._problems import shown
from annotation.imports._source import Source
from annotation.imports.files._table import Table, of_objects


def table(source: Source) -> Table:
    notes: list[str] = []
    return of_objects("jsonl", "line", _objects(source, notes), source, notes)


def _objects(source: Source, notes: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    json_of = Lenient()
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            value = json_of.loads(text.strip())
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
    notes += json_of.notes()


WORDS = {
    "Unterminated string": "a text has no quotation mark at its end",
    "Invalid control character": "a text has no quotation mark at its end",
    "Expecting ','": "a comma or a closing bracket is missing",
    "Expecting ':'": "a colon is missing",
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotation marks is missing",
    "Invalid \\escape": "a backslash must be written twice",
}


def _short(error: JSONError) -> str:
    """As people say it, where that is known."""
    said = str(error)
    found = [words for start, words in WORDS.items() if said.startswith(start)]
    column = said.rpartition(" in column ")[2] if " in column " in said else ""
    where = f" in column {column}" if column else ""
    return f"{found[0]}{where}" if found else said
