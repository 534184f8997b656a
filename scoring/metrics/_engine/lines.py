"""Texts that come in line by line, as JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.metrics._engine.base import LOG_PROBABILITY, Example

FIELDS: dict[str, type] = {
    "text": str,
    "prefix": str,
    "label": str,
    "source": str,
    "references": list,
    "sentences": list,
    "targeted": list,
}


class InputError(ValueError):
    """A line of the input will not do. The message names the line."""


def read(lines: Iterable[bytes]) -> Iterator[tuple[Example, dict[str, Any]]]:
    """Examples with the whole object each came from. Empty lines are skipped.

    Raises:
        InputError: At the first bad line.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            row = _object(line, number)
            given = {key: row[key] for key in FIELDS if key in row}
            yield Example(**_checked(given, number)), row


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"line {number}: not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InputError(f"line {number}: not JSON: {error.msg}") from None
    if not isinstance(row, dict):
        raise InputError(f'line {number}: expected an object like {{"text": ...}}')
    if "text" not in row:
        raise InputError(f'line {number}: there is no "text"')
    for key, value in row.items():
        is_log = f"{key}:".startswith(LOG_PROBABILITY)
        is_number = isinstance(value, int | float | None)
        if is_log and (isinstance(value, bool) or not is_number):
            raise InputError(f'line {number}: "{key}" must be a number')
    return row


def _checked(given: dict[str, Any], number: int) -> dict[str, Any]:
    for key, value in given.items():
        if FIELDS[key] is str and not isinstance(value, str):
            raise InputError(f'line {number}: "{key}" must be a string')
        if FIELDS[key] is list:
            if not isinstance(value, list) or not all(
                isinstance(item, str) for item in value
            ):
                raise InputError(f'line {number}: "{key}" must be a list of strings')
            given[key] = tuple(value)
    return given


def corpus_of(path: str) -> list[tuple[str, dict[str, Any]]]:
    """The texts of a file, each with the whole object it came from.

    Raises:
        InputError: If it cannot be read, or a line of it will not do.
    """
    try:
        with open(path, "rb") as file:
            return [(example.text, row) for example, row in read(file)]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
