"""A table with a row for each rating: text, criterion, score.

What is rated stands in a column (criterion, aspect, dimension), and the rating beside
it. The rows of one text are put together.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imports._account import Account
from annotation.imports._names import OF_TEXTS, USUAL, names_metric, words_of
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records

ASPECT = (
    *("aspect", "criterion", "criteria", "dimension", "attribute", "metric", "measure"),
    *("kriterium", "aspekt", "critère", "criterio", "维度", "指标"),
)
VALUE = (
    *("score", "rating", "value", "label", "judgment", "judgement", "bewertung"),
    *("scores", "ratings", "values", "labels"),
    *("note", "nota", "puntuación", "wert", "评分", "分数"),
)
LONGEST, MOST = 40, 20  # characters of an aspect, and different ones


def _column(names: Sequence[str], usual: Sequence[str]) -> str:
    """The one column with such a name; empty: there is none, or several."""
    some = [name for name in names if name.strip().lower() in usual]
    return some[0] if len(some) == 1 else ""


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return any(map(_is_text, table.columns)) and is_by_aspect(first)


def _is_text(name: str) -> bool:
    words = name.strip().lower()
    return words in USUAL["text"] or not OF_TEXTS.isdisjoint(words.split("_"))


def is_by_aspect(first: Sequence[Record]) -> bool:
    """Whether one column names what another one has the ratings of."""
    names = list(dict.fromkeys(name for record in first for name in record.cells))
    aspect, value = _column(names, ASPECT), _column(names, VALUE)
    if not (aspect and value):
        return False
    named = {str(record.cells.get(aspect) or "") for record in first}
    return 1 < len(named) <= MOST and max(map(len, named)) <= LONGEST


def by_aspect(records: Records, account: Account) -> Records:
    aspect = value = ""
    for line, cells in records:
        if not aspect:
            aspect, value = _column([*cells], ASPECT), _column([*cells], VALUE)
        rest = {k: v for k, v in cells.items() if k not in (aspect, value)}
        about = " ".join(str(cells.get(aspect) or "").replace(":", " ").split())
        if about:
            kind = "score" if names_metric(words_of(about)) else "rating"
            rest[f"{kind}:{about}"] = cells.get(value)
            account.set_aside(aspect, words=NAMES)
        yield Record(line, rest)


NAMES = "it names what the rating beside it is of"
PRESET = Preset(
    title="A row for each rating",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=by_aspect,
    is_general=True,
)
