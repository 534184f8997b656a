"""Langfuse: traces with input, output and scores, as JSON or JSON lines.

The output is the text, the input its prompt. Scores that people gave in Langfuse
(source ANNOTATION) become ratings of whoever gave them; those of evaluators and of
programs (EVAL, API) stay scores. (langfuse.com/docs/evaluation, scores)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import inside
from annotation.imports.files import Record, Table
from annotation.imports.presets import _outputs
from annotation.imports.presets._answers import IN_WORDS, answer
from annotation.imports.presets._preset import Preset, Records

PEOPLE = "annotation"
SCORES, STEPS = "scores", "observations"
OF_TRACE = "it is about the trace, not about its output"
OF_SESSION = "it is about another part of the trace"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    parts = {name.split(".")[0] for name in table.columns}
    return {"input", "output"} <= parts and any(
        _scores(record.cells) or "traceId" in record.cells for record in first
    )


def _scores(cells: dict[str, Any]) -> list[dict[str, Any]]:
    given = cells.get(SCORES)
    found = given if isinstance(given, list) else []
    return [one for one in found if isinstance(one, dict) and "name" in one]


def _unfold(records: Records, account: Account) -> Records:
    return _outputs.with_texts(_read(records, account), account)


def _read(records: Records, account: Account) -> Records:
    for line, cells in records:
        found = {
            "id": cells.get("id"),
            "text": _outputs.words(_part(cells, "output")),
            "prompt": _outputs.words(_part(cells, "input")),
            "system": _model(cells),
        }
        for one in _scores(cells):
            found |= _value(one, account)
        for name, value in cells.items():
            used = name.split(".")[0] in ("id", "input", "output", SCORES)
            if filled(value) and not used:
                account.set_aside(name, words=OF_TRACE)
        yield Record(line, found)


def _part(cells: dict[str, Any], name: str) -> Any:
    return cells[name] if filled(cells.get(name)) else inside(cells, name)


def _model(cells: dict[str, Any]) -> Any:
    """Of the last call of a model in the trace."""
    steps = cells.get(STEPS)
    for one in reversed(steps if isinstance(steps, list) else []):
        if isinstance(one, dict) and filled(one.get("model")):
            return one["model"]
    return cells.get("model")


def _value(one: dict[str, Any], account: Account) -> dict[str, Any]:
    name, value = str(one["name"]), one.get("value")
    in_words = one.get("stringValue", one.get("string_value"))
    if str(one.get("source") or "").lower() != PEOPLE:
        found = _outputs.score(name, in_words if value is None else value, account)
        return {} if found is None else {f"score:{name}": found}
    is_category = str(one.get("dataType") or "").upper() == "CATEGORICAL"
    said = in_words if filled(in_words) and (is_category or value is None) else value
    rater = one.get("authorUserId") or one.get("author_user_id") or "annotator"
    if (rating := answer(said)) is None:
        if filled(said):
            account.set_aside(f"{name} ({rater})", words=IN_WORDS)
        return {}
    return {f"rating:{name}:{rater}": rating}


PRESET = Preset(
    title="Langfuse",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
