"""A file with one JSON object in each line, with what is wrong noted. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from annotation.imports._json import JSONError, loads
from annotation.imports._problems import Problems, shown
from annotation.imports._source import Source


def objects(
    source: Source,
    problems: Problems,
    *,
    required: Collection[str],
    known: Collection[str] | None,
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield line numbers and objects, also those that lack a required field.

    Args:
        source: The file; empty lines count for nothing.
        problems: Where to note what is no object, and fields missing or unknown.
        required: Fields that each object must have.
        known: All that it may have, in the order in which to name them; None: any.
    """
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            values = loads(line)
        except JSONError as error:
            problems.add(f"not valid JSON: {error}", number)
            continue
        if not isinstance(values, dict):
            problems.add(
                f"expected one object in each line, not {shown(json.dumps(values))}",
                number,
            )
            continue
        for name in required:
            if name not in values:
                problems.add(f"field {shown(name)} is missing", number)
        for name in values:
            if known is not None and name not in known:
                there_are = ", ".join(known)
                problems.add(
                    f"unknown field {shown(name)}; there are {there_are}", number
                )
        yield number, values
