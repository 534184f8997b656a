"""Label Studio's JSON-MIN and CSV exports: a row for each annotation.

What was asked stands under its name, beside the data of the task; who answered is the
annotator. Of several choices at once, {"choices": [...]}, none is a rating.
(github.com/HumanSignal/label-studio-converter)
"""

from __future__ import annotations

from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._json import JSONError, loads
from annotation.imports._verbs import set_aside, without
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, SEVERAL, answer
from annotation.imports.presets._preset import Preset, Records, has

CHOICES, PREDICTED = ".choices", "predictions"
OF_WORK = "it is about the work of the annotator, not about the text"
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
    """What was chosen; None: it is no choice."""
    if name.endswith(CHOICES):
        return value if isinstance(value, list) else [value]
    if isinstance(value, str) and value.startswith('{"choices"'):
        try:
            value = loads(value)
        except JSONError:
            return None
    if isinstance(value, dict) and isinstance(value.get("choices"), list):
        choices: list[Any] = value["choices"]
        return choices
    return None


PRESET = Preset(
    title="Label Studio, a row for each annotation",
    help=__doc__ or "",
    recognises=has("annotator", "annotation_id", "lead_time"),
    unfold=_unfold,
)
