"""Label Studio's JSON export, full or JSON-MIN.

Each task has its data, its annotations and its predictions. Ratings, numbers and
single choices become ratings, each of who completed the annotation; a choice in words
goes on as the word. Predictions are a model's: they become scores, never ratings.
(github.com/HumanSignal/label-studio)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._cells import number
from annotation.imports.files import EARLIER, SKIPPED, Record
from annotation.imports.presets._answers import IN_WORDS, SEVERAL, answer
from annotation.imports.presets._preset import Preset, Records, has

DATA, ALL, PREDICTED = "data.", "annotations", "predictions"
MARKS = "it marks a part of the text, or is of a kind that is no rating"
NO_SCORE = "a model's prediction that is no number"
TEXT = "text"
_WORD = re.compile(r"\W+")


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        found = _of_task(cells)
        for annotation in _objects(cells.get(ALL)):
            for name, value in _ratings(annotation, account):
                if name in found:  # of two answers of one person the last counts
                    found[EARLIER + name] = found[name]
                found[name] = value
        for prediction in _objects(cells.get(PREDICTED)):
            found |= _scores(prediction, account)
        yield Record(line, found)


def _of_task(cells: dict[str, Any]) -> dict[str, Any]:
    found = {
        name.removeprefix(DATA): value
        for name, value in cells.items()
        if name.startswith(DATA)
    }
    for name, value in cells.items():
        if name not in (ALL, PREDICTED) and not name.startswith(DATA):
            found[f"task {name}" if name in found else name] = value
    return found


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if _is_list(value) else []


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _results(annotation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What was asked, and what was given."""
    for one in _objects(annotation.get("result")):
        yield str(one.get("from_name")), one.get("value")


def _ratings(annotation: dict[str, Any], account: Account) -> Iterator[tuple[str, Any]]:
    """Ratings; and under a name that says nothing, what is none."""
    rater = _rater(annotation.get("completed_by"))
    for asked, given in _results(annotation):
        if annotation.get("was_cancelled"):
            yield f"{SKIPPED}{asked} ({rater})", _words(given)
            continue
        value, why = _value(given)
        if value is not None:
            yield f"rating:{asked}:{rater}", value
        elif why and filled(given):
            account.set_aside(f"{asked} ({rater})", words=why)


def _scores(prediction: dict[str, Any], account: Account) -> dict[str, Any]:
    model = _WORD.sub("_", str(prediction.get("model_version") or "model")).strip("_")
    found = {}
    for asked, given in _results(prediction):
        value, _ = _value(given)
        if (score := number(value)) is not None:
            found[f"score:{asked}_{model}"] = score
        elif filled(given):
            account.set_aside(f"{asked} (prediction)", words=NO_SCORE)
    return found


def _words(given: Any) -> Any:
    """What stands in an answer: {"choices": ["Good"]} -> Good."""
    values = list(given.values()) if isinstance(given, dict) else [given]
    one = values[0] if len(values) == 1 else values
    return one[0] if isinstance(one, list) and len(one) == 1 else one


def _rater(who: Any) -> str:
    if isinstance(who, dict):
        who = who.get("id") or who.get("email")
    return f"annotator {who}" if isinstance(who, int) else str(who or "annotator")


def _value(given: Any) -> tuple[Any, str]:
    """A rating; or None, and why it is none."""
    if not isinstance(given, dict):
        return None, MARKS
    choices = given.get("choices")
    if isinstance(choices, list):
        if len(choices) != 1:
            return None, SEVERAL
        return answer(choices[0]), IN_WORDS
    if TEXT in given and not {"start", "labels"} & set(given):
        return None, IN_WORDS
    return answer(given.get("rating", given.get("number"))), MARKS


PRESET = Preset(
    title="Label Studio",
    help=__doc__ or "",
    recognises=lambda table, first: (
        has("annotations")(table, first)
        and any(name.startswith(DATA) for name in table.columns)
    ),
    unfold=_unfold,
)
