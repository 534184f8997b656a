"""Lists of objects in one record: texts of systems, or ratings of people. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.imports._account import filled
from annotation.imports._json import JSONError, loads
from annotation.imports._names import (
    ASPECTS,
    USUAL,
    is_of_comments,
    is_of_texts,
    words_of,
)
from annotation.imports.files import Record
from annotation.imports.files._places import is_chat
from annotation.imports.files._table import flattened

TEXTS, RATINGS = "texts", "ratings"
FEWEST_WORDS = 3  # of a text under a name that nobody knows
ANY_VALUE = ("rating", "score", "value", "number")
LONGEST = 1 << 20  # characters of a list that is written into a cell
Cells = Mapping[str, Any]


def objects_in(name: str, cell: Any) -> list[dict[str, Any]]:
    """A list of objects, also as JSON in a cell; turns of a dialogue are none."""
    if isinstance(cell, str) and cell.lstrip()[:1] == "[" and "{" in cell[:50]:
        try:
            cell = loads(cell) if len(cell) < LONGEST else None
        except JSONError:
            return []
    if not isinstance(cell, list) or not cell or is_chat(name, cell):
        return []
    return [flattened(element) for element in cell if isinstance(element, dict)]


def kinds(first: Sequence[Record]) -> dict[str, str]:
    """By column: whether its lists hold texts, or ratings of the row's text."""
    seen: dict[str, list[dict[str, Any]]] = {}
    has_text = is_named = False
    for record in first:
        has_text |= any(_is_text(n, cell) for n, cell in record.cells.items())
        is_named |= any(_is_named_text(n, cell) for n, cell in record.cells.items())
        for name, cell in record.cells.items():
            seen.setdefault(name, []).extend(objects_in(name, cell))
    kinds_by_name = {}
    for name, objects in seen.items():
        if _mostly(_has_text, objects):
            # Of a text in the row they are the sources, unless they say who wrote them.
            if not is_named or _mostly(_names_system, objects):
                kinds_by_name[name] = TEXTS
        elif has_text and _mostly(_rates, objects):
            kinds_by_name[name] = RATINGS
    return kinds_by_name


def _mostly(fits: Callable[[Cells], bool], objects: Sequence[Cells]) -> bool:
    return 2 * sum(map(fits, objects)) > len(objects) > 0


def _is_named_text(name: str, cell: Any) -> bool:
    return isinstance(cell, str) and bool(cell.strip()) and is_of_texts(name)


def _is_text(name: str, cell: Any) -> bool:
    if not isinstance(cell, str) or not cell.strip() or is_of_comments(name):
        return False
    if is_of_texts(name):
        return True
    words = words_of(name)
    beside = any(words in USUAL[role] for role in ("prompt", "source", "reference"))
    is_list = cell.lstrip()[:1] in ("[", "{")
    return not beside and not is_list and len(cell.split()) >= FEWEST_WORDS


def _has_text(fields: Cells) -> bool:
    is_rater = _names(fields, "rater")
    return not is_rater and any(_is_text(name, cell) for name, cell in fields.items())


def _names_system(fields: Cells) -> bool:
    return _names(fields, "system")


def _rates(fields: Cells) -> bool:
    names = [words_of(name).split() for name, cell in fields.items() if filled(cell)]
    return _names(fields, "rater") or any(map(ASPECTS.intersection, names))


def _names(fields: Cells, role: str) -> bool:
    return any(words_of(name) in USUAL[role] for name in fields)


def beside_texts(outer: Cells, inner: Cells) -> dict[str, Any]:
    """What stands beside a list of texts, for each of them.

    A text beside others is what they are about; of two fields with one name the inner
    one is about the text.
    """
    has_named = any(_is_named_text(name, cell) for name, cell in inner.items())
    around = {}
    for name, cell in outer.items():
        is_source = has_named and _is_named_text(name, cell)
        own = "source" if is_source and "source" not in outer else name
        around[f"row {own}" if own in inner else own] = cell
    return {**around, **inner}


def beside_ratings(outer: Cells, inner: Cells, name: str) -> dict[str, Any]:
    """The row, with one object of its list; an ID in both is that of the text."""
    if len(inner) == 1 and words_of(next(iter(inner))) in ANY_VALUE:
        inner = {name: next(iter(inner.values()))}  # coherence: [{"rating": 4}]
    own = {f"{name}.{f}" if f in outer else f: cell for f, cell in inner.items()}
    return {**outer, **own}
