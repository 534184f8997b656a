"""What a model was given and what it wrote, as tools that run models store it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number
from annotation.imports._json import JSONError, loads
from annotation.imports._verbs import Records, where

# Where in an object the words are, by the names that tools give them.
NAMES = (
    *("output", "content", "text", "answer", "response", "result", "completion"),
    *("generation", "prediction", "message", "messages", "choices", "input"),
    *("question", "query", "prompt", "instruction"),
)
NO_SCORE = "a score that is no number"
EMPTY = "there is no output beside it"
DEEPEST = 6


def words(value: Any, depth: int = 0) -> str:
    """The text in what was stored: a string, an object with one, or messages."""
    if isinstance(value, str):
        return _unpacked(value, depth)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if depth > DEEPEST or not value:
        return ""
    if isinstance(value, list):
        return _of_list(value, depth)
    if not isinstance(value, Mapping):
        return ""
    for name in NAMES:
        if filled(value.get(name)):
            return words(value[name], depth + 1)
    texts = [one for one in value.values() if isinstance(one, str) and one.strip()]
    return "\n\n".join(texts)


def _unpacked(value: str, depth: int) -> str:
    """A table writes an object into a cell, as JSON."""
    text = value.strip()
    if text[:1] in ("{", "[") and text[-1:] in ("}", "]"):
        try:
            return words(loads(text), depth + 1) or value
        except JSONError:
            return value
    return value


def _of_list(value: list[Any], depth: int) -> str:
    """Messages, or parts of one: who spoke is named where several did."""
    told = []
    for one in value:
        text = words(one, depth + 1)
        role = one.get("role") if isinstance(one, Mapping) else None
        if text.strip():
            told.append((str(role or ""), text))
    if len(told) == 1:
        return told[0][1]
    return "\n".join(f"{role.capitalize()}: {t}" if role else t for role, t in told)


def with_texts(records: Records, account: Account) -> Records:
    """Those with a text, or of which it is known who said nothing, and to what."""

    def fits(cells: Mapping[str, Any]) -> bool:
        if filled(cells.get("text")):
            return True
        return filled(cells.get("system")) and filled(cells.get("prompt"))

    return where(records, fits, account, EMPTY)


def score(column: str, value: Any, account: Account) -> float | None:
    """Of an automatic evaluator: passed is 1, failed is 0; None is noted."""
    if isinstance(value, bool):
        return float(value)
    found = number(value)
    if found is None and isinstance(value, str):
        found = {"true": 1.0, "false": 0.0}.get(value.strip().lower())
    if found is None and filled(value):
        account.set_aside(column, words=NO_SCORE)
    return found
