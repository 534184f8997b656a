"""What a person has chosen about a file, as JSON text that can be used again. Pure.

    {"recipe": 1,
     "columns": ["id", "answer", "Q1"],
     "map": {"id": "key", "answer": "text", "Q1": "rating:coherence"},
     "values": {"coherence": {"Agree": 4, "99": ""}},
     "decimal": "comma", "sheet": "Data", "encoding": "cp1252", "preset": "", "cut": 80}

Only `recipe` and `map` or `preset` are needed. `columns` say for which files it is
proposed; a column that `map` does not name is not used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from annotation import storable
from annotation.imports._encodings import ENCODINGS
from annotation.imports._mapping import NAMED, ROLES
from annotation.imports._problems import UploadError, shown
from annotation.imports._rows import AGAIN, DECIMALS, wrong_with_values
from annotation.imports.presets import PRESETS

VERSION = 1
LARGEST = 1 << 20  # bytes of a recipe
MOST_COLUMNS = 1000
LONGEST_NAME = 200
MOST_WORDS = 10_000  # that `cut` may keep
# What an import takes of it. Others of its keys say what it is for.
TAKEN = ("map", "values", "decimal", "again", "sheet", "encoding", "preset", "cut")
KEYS = ("recipe", "columns", *TAKEN)
EXAMPLE = '{"recipe": 1, "map": {"answer": "text"}}'


def of_choices(columns: Iterable[str], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe out of what was chosen: the keys of TAKEN, others are left out."""
    given = {name: chosen[name] for name in TAKEN if chosen.get(name)}
    if chosen.get("preset") == "":
        given["preset"] = ""  # that the file is no known one was chosen, too
    return {"recipe": VERSION, "columns": list(columns), **given}


def as_text(recipe: Mapping[str, Any]) -> str:
    ordered = {name: recipe[name] for name in KEYS if name in recipe}
    return json.dumps(ordered, indent=2, ensure_ascii=False)


def digest_of(columns: Iterable[str]) -> str:
    """Equal for files with the same columns, in whatever order and case."""
    names = sorted(name.strip().lower() for name in columns)
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()


def options_of(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """For `Options.of`: a checked recipe's part of them."""
    return {name: recipe[name] for name in TAKEN if name in recipe}


def read(content: str | bytes) -> dict[str, Any]:
    """A recipe out of JSON text.

    Raises:
        UploadError: With all that is wrong with it.
    """
    if len(content) > LARGEST:
        raise UploadError([f"A recipe has at most {LARGEST:,} bytes of JSON."])
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise UploadError([f"A recipe is JSON, such as {EXAMPLE}."]) from None
    return checked(value)


def checked(value: Any) -> dict[str, Any]:
    """A recipe as it may be used.

    Raises:
        UploadError: With all that is wrong with it.
    """
    if not isinstance(value, dict):
        came = type(value).__name__
        raise UploadError([f"A recipe is an object, such as {EXAMPLE}, not {came}."])
    if said := storable.problem_in(value):
        raise UploadError([f"The recipe {said}."])
    if wrong := list(_wrong(value)):
        raise UploadError(wrong)
    return value


def _wrong(value: Mapping[str, Any]) -> Iterator[str]:
    version = value.get("recipe")
    if version != VERSION or isinstance(version, bool):
        yield f'"recipe" is {VERSION}, the version of recipes; not {shown(version)}.'
    for name in value:
        if name not in KEYS:
            yield f"A recipe has no {shown(name)}; there are {', '.join(KEYS)}."
    if "map" not in value and not value.get("preset"):
        yield f"A recipe says with map what the columns are, such as {EXAMPLE}."
    yield from _wrong_columns(value.get("columns", []))
    yield from _wrong_map(value.get("map", {}))
    if said := wrong_with_values(value.get("values", {})):
        yield said
    yield from _wrong_word(value, "decimal", DECIMALS)
    yield from _wrong_word(value, "again", AGAIN)
    yield from _wrong_word(value, "encoding", ENCODINGS)
    yield from _wrong_word(value, "preset", PRESETS)
    sheet = value.get("sheet", "")
    if not isinstance(sheet, str) or len(sheet) > LONGEST_NAME:
        yield f"sheet is the name of a sheet, not {shown(sheet)}."
    cut = value.get("cut", 1)
    if not isinstance(cut, int) or isinstance(cut, bool) or not 1 <= cut <= MOST_WORDS:
        yield f"cut is a whole number from 1 to {MOST_WORDS:,}, not {shown(cut)}."


def _wrong_columns(columns: Any) -> Iterator[str]:
    named = isinstance(columns, list) and all(isinstance(n, str) for n in columns)
    if not named or len(columns) > MOST_COLUMNS:
        yield f"columns is a list of up to {MOST_COLUMNS:,} names of columns."


def _wrong_map(roles: Any) -> Iterator[str]:
    if not isinstance(roles, dict) or len(roles) > MOST_COLUMNS:
        yield 'map says what each column is, such as {"answer": "text"}.'
        return
    for column, role in roles.items():
        kind, colon, about = role.partition(":") if isinstance(role, str) else ("",) * 3
        if kind not in ROLES or (kind in NAMED) != bool(colon and about.strip()):
            there_are = ", ".join(f"{r}:NAME" if r in NAMED else r for r in ROLES)
            yield (
                f"Column {shown(column)} cannot be {shown(role)}; there are"
                f" {there_are}."
            )


def _wrong_word(
    value: Mapping[str, Any], name: str, allowed: Collection[str]
) -> Iterator[str]:
    word = value.get(name, "")
    if word != "" and (not isinstance(word, str) or word not in allowed):
        yield f"{name} is one of {', '.join(allowed)}; not {shown(word)}."
