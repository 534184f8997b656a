"""A row for each article, with lists side by side: its outputs, and what they got.

One list has texts, others of the same length have numbers, as mteb/summeval on the
Hugging Face hub: machine_summaries, coherence, relevance; or the names of systems:
responses, models. Each place is a text with what stands at its place. A list of texts
of people ("human_summaries") is references; the article itself is the source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account
from annotation.imports._cells import number
from annotation.imports._names import USUAL
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records, Shape
from annotation.imports.presets._segments import key_of

FEWEST_WORDS = 3  # of a text, on average: else they are names
PEOPLE = frozenset("human reference references ref gold target truth".split())
SYSTEMS = frozenset("model models system systems".split())
# Columns with several texts of a system: a dialogue is no list of these.
OUTPUTS = frozenset(
    "outputs completions generations predictions candidates responses answers"
    " summaries translations hypotheses stories samples".split()
)
IDS = ("id", "doc_id", "article_id", "key")
_WORDS = re.compile(r"[^\W_]+")


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    """Nothing else would have texts beside as many numbers in each of its rows."""
    return all(_lists(record.cells) for record in first)


def _lists(cells: dict[str, Any]) -> dict[str, str]:
    """Lists of equal length by column, and what each becomes; empty: it is no such row.

    Of two lists of texts the one with numbers beside it has the outputs.
    """
    lists = {c: v for c, v in cells.items() if isinstance(v, list) and len(v) > 1}
    for column, value in lists.items():
        if not _is_of_texts(value) or PEOPLE.intersection(_words(column)):
            continue
        beside = {c: v for c, v in lists.items() if len(v) == len(value)}
        numbers = [c for c, v in beside.items() if _is_of_numbers(v)]
        named = [c for c in beside if SYSTEMS.intersection(_words(c))]
        systems = [c for c in named if c != column and c not in numbers]
        if numbers or systems or OUTPUTS.intersection(_words(column)):
            found = dict(zip(numbers, numbers, strict=True))
            return {column: "text", **dict.fromkeys(systems[:1], "system"), **found}
    return {}


def _shape(table: Table, first: Sequence[Record]) -> Shape | None:
    """A list of texts alone may be one text in parts."""
    found = _lists(first[0].cells)
    if len(found) > 1:
        return None
    name = next(iter(found))
    return Shape(
        f"Each row has several texts in “{name}”. Is each of them a text of its own,"
        " not a part of one?"
    )


def _words(column: str) -> list[str]:
    return _WORDS.findall(column.lower())


def _is_of_texts(value: list[Any]) -> bool:
    if not all(isinstance(one, str) for one in value):
        return False
    return sum(len(one.split()) for one in value) >= FEWEST_WORDS * len(value)


def _is_of_numbers(value: list[Any]) -> bool:
    numbers = [one for one in value if one is not None]
    return bool(numbers) and all(number(one) is not None for one in numbers)


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        lists = _lists(cells)
        named = {lists.get(c, _beside(c, v)): v for c, v in cells.items()}
        ids = [c for c in IDS if cells.get(c) not in (None, "")]
        name = named.pop(ids[0], None) if ids else None
        one = iter([Record(line, named)])
        texts = _verbs.explode(one, list(lists.values()), account)
        for n, (_, found) in enumerate(texts, start=1):
            key = {} if name is None else {"key": key_of(name, n)}
            yield Record(line, {**found, **key})


def _beside(column: str, value: Any) -> str:
    """What stands beside the lists: references of people, and the article."""
    words = _words(column)
    if isinstance(value, list) and PEOPLE.intersection(words):
        return "reference"
    usual = " ".join(words) in (*USUAL["text"], *USUAL["source"])
    return "source" if isinstance(value, str) and usual else column


PRESET = Preset(
    title="Lists of outputs, a row for each article",
    help=__doc__ or "",
    recognises=_recognises,
    shape=_shape,
    unfold=_unfold,
    is_general=True,
)
