"""Label Studio's JSON-MIN and CSV exports: a row for each annotation.

What was asked stands under its name, beside the data of the task; who answered is the
annotator. Of several choices at once, {"choices": [...]}, none is a rating.
(github.com/HumanSignal/label-studio-converter)
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._json import JSONError, loads
from annotation.imports._verbs import set_aside, without
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, SEVERAL, answer
from annotation.imports.presets._preset import Preset, Records, has

CHOICES, PREDICTED = ".choices", "predictions"
OF_WORK = "it is about the work of the annotator, not about the text"
WRITTEN = ('{"choices"', '{"rating"', '{"number"', "[{")  # objects in a cell
ITS_OWN = ("annotation_id", "lead_time", "created_at", "updated_at", "agreement")


def _unfold(records: Records, account: Account) -> Records:
    plain = without(records, ITS_OWN.__contains__, account, OF_WORK)
    for line, cells in plain:
        found: dict[str, Any] = {}
        for name, value in cells.items():
            asked, choices = name.removesuffix(CHOICES), _choices(name, value)
            if choices is None:
                found[name] = value
            elif len(choices) > 1:
                set_aside({asked: value}, account, SEVERAL)
            elif (rating := answer(choices)) is not None:
                found[f"rating:{asked}"] = rating
            elif filled(choices):
                set_aside({asked: value}, account, IN_WORDS)
        yield Record(line, found)


def _choices(name: str, value: Any) -> list[Any] | None:
    """What was chosen; None: it is no choice, and no rating in an object."""
    if name.endswith(CHOICES):
        return value if isinstance(value, list) else [value]
    if isinstance(value, str) and value.lstrip().startswith(WRITTEN):
        try:
            value = loads(value)
        except JSONError:
            return None
    objects = value if isinstance(value, list) else [value]
    found = [_chosen(one) for one in objects]
    some = [one for one in found if one is not None]
    return list(chain.from_iterable(some)) if some and len(some) == len(found) else None


def _chosen(value: Any) -> list[Any] | None:
    """Of {"choices": ["Good"]}, {"rating": 4} or {"number": 4}."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("choices"), list):
        choices: list[Any] = value["choices"]
        return choices
    found = value.get("rating", value.get("number"))
    return None if found is None else [found]


PRESET = Preset(
    title="Label Studio, a row for each annotation",
    help=__doc__ or "",
    recognises=has("annotator", "annotation_id", "lead_time"),
    unfold=_unfold,
)
